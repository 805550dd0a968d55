import { expect, it } from 'vitest';
import type { Candidate, Look, SearchStrategy } from '../../../../../main/contract/study/search';
import {
  armOf,
  nextStep,
  potentialOf,
  rateOf,
  stepOfRate,
} from '../../../../../main/domain/study/search/arms';
import { searchAnswer } from '../../../../../main/domain/study/search/search-answer';

const one: Candidate = {
  ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [] },
  ...{ maxQueueDelayUs: 0, threads: 1, batchSize: 1 },
};
const search: SearchStrategy = {
  ...{ kind: 'search', runId: 'run', candidates: [one, { ...one, batchSize: 4 }] },
  load: { kind: 'open', batchSize: 1 },
  target: { percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
  ...{ budgetS: 300, lookMs: 1000, fullMs: 3000 },
};
const at = (candidate: number, step: number, isHeld = true): Look => {
  const requestRate = rateOf(step);
  const size = search.candidates[candidate - 1]?.batchSize ?? 1;
  return {
    ...{ candidate, phase: 'edge', load: { requestRate }, seconds: 1 },
    inferencesPerSecond: requestRate * size,
    ...{ latencyUs: isHeld ? 1000 : 90_000, requestCount: 100, errorCount: 0 },
    ...{ meanServerBatch: null, serverQueueUs: null },
  };
};
const step = stepOfRate(100);

it('counts the inferences of a request where candidates send different batches', () => {
  const searched = { looks: [at(1, step), at(2, step), at(2, step + 1, false)], failed: {} };
  const [single, four] = [armOf(search, searched, 1), armOf(search, searched, 2)];
  expect(single.value).toBe(rateOf(step));
  expect(four.value).toBe(4 * rateOf(step));
  expect(potentialOf(search, four)).toBe(4 * rateOf(step));
});

it('asks a candidate for more inferences than the best one gives, not for more requests', () => {
  const leader = armOf(search, { looks: [at(1, step), at(1, step + 1, false)], failed: {} }, 1);
  const fresh = armOf(search, { looks: [], failed: {} }, 2);
  const next = nextStep(search, fresh, leader);
  expect(4 * rateOf(next)).toBeGreaterThan(leader.value);
  // One step less would be no more.
  expect(4 * rateOf(next - 2)).toBeLessThan(leader.value);
  expect(nextStep({ ...search, candidates: [one, one] }, fresh, leader)).toBe(step + 1);
});

it('states the gain of a batch size in inferences, with the inferences beside the requests', () => {
  const looks = [at(1, step), at(1, step + 1, false), at(2, step), at(2, step + 1, false)];
  const { gain, sentence } = searchAnswer(search, { looks, failed: {} });
  expect(gain?.ratio).toBeCloseTo(4, 6);
  expect(sentence).toMatch(/^Batch size per request 4: [\d.]+ requests\/s \([\d.]+ inferences\/s\) within/);
});
