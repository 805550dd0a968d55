import { expect, it } from 'vitest';
import { sampleLengths } from '../../../main/toolkit/sample-lengths';
import { profileDataCommand, profileDataInputs } from '../../../main/toolkit/verb-commands';
import { specFixture } from '../../support/run-state';
import { textSource } from '../../support/text-source';

const specOf = (lengthDistribution?: string) =>
  specFixture((spec) => {
    Object.assign(spec.model, { source: textSource() });
    Object.assign(spec.performance, { inputData: 'dataset', lengthDistribution });
  });

const commandOf = (lengths?: string) =>
  profileDataCommand({ modelDir: '/m', spec: specOf(lengths), framework: 'pyt' }, '/data', [], '/out').args;
const valuesOf = (flag: string, lengths?: string) =>
  commandOf(lengths).flatMap(([name, value]) => (name === flag ? [value] : []));

it('are how many samples are sent, how long, and with what they are padded', () => {
  expect(sampleLengths(specOf('12 30 7'))).toEqual({
    ...{ count: 3, lengths: '12,30,7' },
    padding: { input_ids: 3, attention_mask: 0 },
  });
  expect(sampleLengths(specOf('32,48,64'))?.count).toBe(100);
  expect(sampleLengths(specOf('dataset'))).toMatchObject({ count: 1000, lengths: 'dataset' });
  expect(sampleLengths(specOf())).toBeNull();
  expect([valuesOf('--lengths', '12 30 7'), valuesOf('--count', '12 30 7')]).toEqual([['12,30,7'], [3]]);
  expect(valuesOf('--padding', '12 30 7')).toEqual(['input_ids=3', 'attention_mask=0']);
});

it('without lengths the command and the key of the step are as before', () => {
  expect(valuesOf('--count')).toEqual([8]);
  expect(commandOf().map(([flag]) => flag)).not.toContain('--lengths');
  expect(commandOf().map(([flag]) => flag)).not.toContain('--padding');
  expect(Object.keys(profileDataInputs(specOf()))).toEqual(['mode', 'sampleCount', 'batchSize']);
  expect(profileDataInputs(specOf('64'))).toMatchObject({
    sampleLengths: { lengths: Array(8).fill(64).join() },
  });
});
