import { expect, it } from 'vitest';
import type { Candidate, SearchStrategy } from '../../../../../main/contract/study/search';
import { searchSentence, searchSentenceSoFar } from '../../../../../main/domain/study/search/search-sentence';

const candidate: Candidate = {
  ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [4, 8] },
  ...{ maxQueueDelayUs: 0, threads: 1 },
};
const search: SearchStrategy = {
  ...{ kind: 'search', runId: 'r', budgetS: 60, lookMs: 1000, fullMs: 2000 },
  candidates: [candidate, { ...candidate, instances: 2 }],
  load: { kind: 'open', batchSize: 1 },
  target: { percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
};
const row = (number: number, state: string, load: number | null) => ({
  ...{ candidate: number, text: number === 1 ? 'present configuration' : 'model instances 2', state, load },
  ...{ reason: null, inferencesPerSecond: load, latencyUs: null, costPerMillion: null },
});
const present = row(1, 'not judged', null);
const answerOf = (rows: readonly ReturnType<typeof row>[]) => {
  const winner = rows.find(({ state }) => state === 'best') ?? null;
  return { rows, winner, present, gain: null, isWithinNoise: false, equal: [], lowest: null };
};

it('of a search under way takes nothing that is not found yet for not found', () => {
  const begun = answerOf([present, row(2, 'not measured', null)]);
  expect(searchSentence(search, begun)).toBe(
    'No load within p99 20.00 ms was found; not every configuration was judged',
  );
  expect(searchSentenceSoFar(search, begun)).toBe('No configuration has held a load yet');
});

it('of a search under way does not say what the present configuration was not taken to', () => {
  const found = answerOf([present, row(2, 'best', 900)]);
  const best = 'Model instances 2: 900.0 requests/s within p99 20.00 ms';
  expect(searchSentence(search, found)).toBe(`${best}. The present configuration was not taken to its limit`);
  expect(searchSentenceSoFar(search, found)).toBe(best);
});

it('says at once that no configuration can be measured', () => {
  const failed = answerOf([row(1, 'failed', null), row(2, 'failed', null)]);
  expect(searchSentenceSoFar(search, failed)).toMatch(/^None of the 2 configurations could be measured/);
});
