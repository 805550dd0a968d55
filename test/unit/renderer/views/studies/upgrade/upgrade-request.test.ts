import { expect, it } from 'vitest';
import { upgradeRequestSchema } from '../../../../../../main/contract/study/upgrade';
import { parseCriterion } from '../../../../../../main/domain/measured/comparison-gate';
import {
  missingText,
  targetsOf,
  upgradeRequestOf,
  upgradeTextOf,
} from '../../../../../../renderer/views/studies/upgrade/upgrade-request';
import { runA } from '../../../../../support/duel';

const text = { ...upgradeTextOf({ runId: runA }), release: '26.07' };

it('asks for three minutes of load on a release, and leaves everything else to the run', () => {
  expect(upgradeRequestOf(text)).toEqual({
    ...{ of: { runId: runA }, to: { release: '26.07' }, budgetS: 180 },
  });
  expect(upgradeRequestOf({ ...text, kind: 'deployment', deployment: 'vision' })).toMatchObject({
    of: { deployment: 'vision' },
  });
});

it('has the typed load and conditions, in words that the plan takes', () => {
  const typed = { ...text, minutes: 0.5, batchSize: 4, concurrency: 8, loads: 5, slower: 2.5 };
  const request = upgradeRequestOf(typed);
  expect(request).toMatchObject({ budgetS: 30, batchSize: 4, concurrency: 8, loads: 5 });
  // The other condition stays as it is without a number.
  expect(request?.criteria).toEqual(['throughput<0.9x', 'p99>1.025x']);
  expect(upgradeRequestSchema.safeParse(request).success).toBe(true);
  for (const percent of [0.01, 1, 12.5, 99]) {
    for (const criterion of upgradeRequestOf({ ...text, less: percent, slower: percent })?.criteria ?? []) {
      expect(parseCriterion(criterion).text).toBe(criterion);
    }
  }
});

it('offers what the engine of the subject can be replaced with', () => {
  expect(targetsOf('docker')).toEqual(['release', 'image']);
  expect(targetsOf('local')).toEqual(['folder']);
  expect(targetsOf(null)).toEqual(['release', 'image', 'folder']);
});

it('says what is missing, and asks for nothing before it is there', () => {
  expect(missingText(upgradeTextOf({}))).toBe('Choose a finished run.');
  expect(missingText(upgradeTextOf({ deployment: '' }))).toBe('Choose a finished run.');
  expect(missingText({ ...upgradeTextOf({}), kind: 'deployment' })).toBe('Choose a deployment.');
  expect(missingText({ ...text, release: '26.' })).toBe('Enter a release, such as 26.07.');
  expect(missingText({ ...text, minutes: '' })).toBe('Enter the maximum time under load.');
  const folder = { ...text, target: 'folder' as const };
  expect(missingText(folder)).toContain('Choose the folder');
  expect(upgradeRequestOf({ ...folder, folder: '/opt/triton' })?.to).toEqual({ environment: '/opt/triton' });
  const image = {
    ...text,
    target: 'image' as const,
    image: 'registry/triton:2 ',
    asked: 'registry/triton:1',
  };
  // Another one was typed since.
  expect(upgradeRequestOf(image)).toBeNull();
  expect(upgradeRequestOf({ ...image, asked: 'registry/triton:2' })?.to).toEqual({
    image: 'registry/triton:2',
  });
  expect(missingText(text)).toBeNull();
});
