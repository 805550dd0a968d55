import { expect, it } from 'vitest';
import type { ServedModel } from '../../../../../../main/contract/run/measure-request';
import { soakRequestSchema } from '../../../../../../main/contract/study/soak';
import { parseSoakCriterion } from '../../../../../../main/domain/study/soak/soak-criteria';
import {
  missingText,
  soakRequestOf,
  soakTextOf,
  withKind,
} from '../../../../../../renderer/views/studies/soak/soak-request';
import { runA } from '../../../../../support/duel';

const model = (dynamicInputs: ServedModel['dynamicInputs'] = []): ServedModel => ({
  ...{ name: 'ocr', versions: ['1'], maxBatchSize: 4, dynamicInputs },
});

it('of a run is eight hours at 60 % of what it held, unless something else is typed', () => {
  const text = soakTextOf({ runId: runA });
  expect(soakRequestOf(text, null)).toEqual({
    ...{ of: { runId: runA }, load: { share: 0.6 }, forMs: 8 * 3_600_000 },
  });
  const typed = {
    ...{ ...text, time: 20, timeUnit: 'minutes' as const, load: 'concurrency' as const, batchSize: 4 },
    ...{
      amount: { ...text.amount, concurrency: 8 },
      reload: 30,
      reloadUnit: 'seconds' as const,
      growth: 0.5,
    },
  };
  const request = soakRequestOf(typed, null);
  expect(request).toEqual({
    ...{ of: { runId: runA }, load: { concurrency: 8 }, forMs: 1_200_000, batchSize: 4 },
    ...{ reloadEvery: { ms: 30_000 }, criteria: ['rss-slope>0.5MB/h'] },
  });
  expect(soakRequestSchema.safeParse(request).success).toBe(true);
  for (const growth of [1, 0.000001, 1e7, 12.25]) {
    const [criterion = ''] = soakRequestOf({ ...typed, growth }, null)?.criteria ?? [];
    expect(parseSoakCriterion(criterion).limit).toBeCloseTo(growth * 1e6, 3);
  }
});

it('says what is missing, and asks for nothing before it is there', () => {
  const text = soakTextOf({});
  expect(missingText(text, null)).toBe('Choose a finished run.');
  expect(soakRequestOf(text, null)).toBeNull();
  const deployed = withKind(text, 'deployment');
  expect(missingText(deployed, null)).toBe('Choose a deployment.');
  expect(soakRequestOf({ ...deployed, deployment: 'vision', model: 'b' }, null)).toMatchObject({
    of: { deployment: 'vision', model: 'b' },
  });
  const chosen = soakTextOf({ runId: runA });
  expect(missingText({ ...chosen, time: '' }, null)).toBe('Enter how long the load lasts.');
  expect(missingText({ ...chosen, load: 'rate' }, null)).toBe('Enter the load.');
  expect(missingText(chosen, null)).toBeNull();
});

it('of a running Triton has a rate of its own, an address that was checked, and the sizes of open axes', () => {
  const text = withKind(soakTextOf({ runId: runA }), 'server');
  expect(text.load).toBe('rate');
  expect(missingText(text, null)).toBe('Check the address first.');
  const rated = { ...soakTextOf({ url: 'https://gpu:8000', caFile: '/ca.pem', model: 'ocr' }) };
  const at = { ...rated, amount: { ...rated.amount, rate: 20 } };
  expect(missingText(at, null)).toBe('Choose a model of the server.');
  expect(soakRequestOf(at, model())).toMatchObject({
    ...{
      of: { url: 'https://gpu:8000', tls: { caFile: '/ca.pem' }, model: 'ocr' },
      load: { requestRate: 20 },
    },
  });
  // Another address was typed since.
  expect(soakRequestOf({ ...at, url: 'gpu2:8000' }, model())).toBeNull();
  const open = model([{ name: 'ids', dims: [-1, 3] }]);
  expect(missingText(at, open)).toBe('Enter the dimensions of each input.');
  expect(soakRequestOf({ ...at, shapes: { ids: '128, x' } }, open)).toBeNull();
  expect(soakRequestOf({ ...at, shapes: { ids: '128, 3' } }, open)).toMatchObject({
    of: { shapes: { ids: [128, 3] } },
  });
});
