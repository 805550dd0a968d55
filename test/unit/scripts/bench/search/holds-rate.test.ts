import { expect, it } from 'vitest';
import type { Look } from '../../../../../main/contract/study/search';
import { holdsRate } from '../../../../../scripts/bench/search/holds-rate';

const look = (change: Partial<Look>): Look => ({
  ...{ candidate: 1, phase: 'confirm', load: { requestRate: 100 }, seconds: 10, inferencesPerSecond: 99 },
  ...{ latencyUs: 19_000, requestCount: 990, errorCount: 5, meanServerBatch: null, serverQueueUs: null },
  ...change,
});

it.each([
  ['all within', {}, true],
  ['a latency above the target', { latencyUs: 20_001 }, false],
  ['requests that were due and not answered', { inferencesPerSecond: 96 }, false],
  ['more failures than one in a hundred', { errorCount: 11 }, false],
])('a rate is held by its latency, its answers and its failures: %s', (_what, change, held) => {
  expect(holdsRate(look(change), 20_000)).toBe(held);
});
