import { describe, expect, it } from 'vitest';
import type { Replay } from '../../../../../main/contract/run/run-spec';
import type { Look, SearchRequest, SearchStrategy } from '../../../../../main/contract/study/search';
import { armOf, rateOf, stepOfRate } from '../../../../../main/domain/study/search/arms';
import { candidateState } from '../../../../../main/domain/study/search/candidate-state';
import { guessesOf, noGuesses } from '../../../../../main/domain/study/search/guess';
import { planSearch } from '../../../../../main/domain/study/search/plan-search';
import { replayLines, speedText, timesText } from '../../../../../main/domain/study/search/replay-load';
import { searchAnswer } from '../../../../../main/domain/study/search/search-answer';
import { completeState } from '../../../../support/run-state';

const read: NonNullable<Replay['read']> = {
  ...{ of: 'part', sha256: 'hash', requests: 1200, seconds: 60, namesInputs: false, models: {} },
};
const replay: Replay = { file: '/traces/july.csv', speed: 1, fromS: 0, read };
const request = {
  ...{ runId: 'run-1', name: 'july', load: 'open', latencyUs: 20_000, replay },
  space: { instances: [1, 2], threads: [1], batching: ['dynamic'] },
} satisfies SearchRequest;
const plan = (change: Partial<Omit<SearchRequest, 'name'>> = {}) =>
  planSearch(completeState(), { ...request, ...change }, { onGpu: false, processors: 2 });

const look = (candidate: number, requestRate: number, latencyUs: number): Look => ({
  ...{ candidate, phase: 'edge', load: { requestRate }, seconds: 1 },
  // The last requests are answered after the last one was due.
  inferencesPerSecond: 0.7 * requestRate,
  ...{ latencyUs, requestCount: 100, errorCount: 0, meanServerBatch: null, serverQueueUs: null },
  measured: {
    ...{ avgUs: 4000, p50Us: 4000, p90Us: 5000, p95Us: 6000, p99Us: latencyUs },
    replay: {
      ...{ requests: 100, seconds: 5, peakRate: 60, speed: 2, fromS: 0 },
      ...{ meanBatchSize: 1, largestBatchSize: 1 },
    },
  },
});

describe('a search under the requests of a trace', () => {
  it('sends it faster or slower, in place of Poisson arrivals', () => {
    const { search, notes } = plan();
    expect(search.load).toEqual({ kind: 'open', batchSize: 1, replay });
    expect(timesText(search)).toBe('at the times of the trace, sent faster or slower');
    expect(notes).toContain(
      'Trace: 1,200 requests in 1 min 00 s, on average 20.00 requests/s as recorded; a measurement that is shorter sends its busiest part.',
    );
  });

  it('says how much faster the answer is than what was recorded', () => {
    const { search } = plan();
    expect(speedText(search, 48)).toBe('2.4 times as fast as recorded');
    expect(speedText(search, 20)).toBe('as recorded');
    expect(speedText(search, null)).toBeNull();
    expect(speedText({ load: { kind: 'open', batchSize: 1 } }, 48)).toBeNull();
    const step = stepOfRate(200);
    const looks = [look(1, rateOf(step), 9000), look(1, rateOf(step + 1), 90_000)];
    const { sentence } = searchAnswer(search, { looks, failed: {} });
    expect(sentence).toMatch(
      /: [\d.]+ requests\/s \([\d.]+ times as fast as recorded\) within p99 20\.00 ms/,
    );
  });

  it('holds a rate by the latency of its requests, all of which are sent', () => {
    const { search } = plan();
    const step = stepOfRate(200);
    const looks = [look(1, rateOf(step), 9000), look(1, rateOf(step + 1), 21_000)];
    expect(armOf(search, { looks, failed: {} }, 1)).toMatchObject({ highest: step, beyond: step + 1 });
    const poisson: SearchStrategy = { ...search, load: { kind: 'open', batchSize: 1 } };
    expect(armOf(poisson, { looks, failed: {} }, 1)).toMatchObject({ highest: null, beyond: step });
  });

  it('is not predicted by Poisson times', () => {
    expect(guessesOf(plan().search, { looks: [look(1, 100, 9000)], failed: {} })).toBe(noGuesses);
  });

  it('makes levels that are named as replayed, and are steady whatever was answered late', () => {
    const { search } = plan();
    const searched = { looks: [look(1, rateOf(stepOfRate(200)), 9000)], failed: {} };
    const state = candidateState(completeState(), { name: 'july', search, searched }, 1);
    const [level] = state.scenarios.online.points;
    expect(level?.point).toMatchObject({
      requestDistribution: 'replay',
      flags: [],
      replay: { requests: 100 },
    });
  });

  it('counts the items of its requests', () => {
    const sized = { ...replay, read: { ...read, largestBatchSize: 4, meanBatchSize: 2.5 } };
    const { search } = plan({ replay: sized, space: { ...request.space, maxBatchSize: [2, 8] } });
    // What takes no request of four is left out.
    expect(new Set(search.candidates.slice(1).map(({ maxBatchSize }) => maxBatchSize))).toEqual(new Set([8]));
    const step = stepOfRate(100);
    const { value } = armOf(search, { looks: [look(1, rateOf(step), 9000)], failed: {} }, 1);
    expect(value).toBe(2.5 * rateOf(step - 2));
  });

  it('has the rate of the trace where the lowest latency is asked for', () => {
    const { search } = plan({
      objective: { kind: 'latency' },
      replay: { ...replay, speed: 2 },
      budgetS: 600,
    });
    expect(search.load).toMatchObject({ kind: 'open', rate: 40 });
  });

  it('says that a percentile of few requests is unsure', () => {
    const lines = replayLines({ ...replay, read: { ...read, requests: 80 } });
    expect(lines[1]).toBe(
      'A percentile of 80 requests rests on a handful of them: a longer part is more reliable',
    );
  });

  it.each([
    ['--replay', { load: 'closed' }],
    ['--rate', { rate: 40, objective: { kind: 'latency' } }],
    ['--speed', { replay: { ...replay, speed: 2 } }],
    ['--to', { replay: { ...replay, fromS: 9, toS: 8 } }],
    ['--replay', { replay: { ...replay, read: undefined } }],
    ['--replay', { replay: { ...replay, read: { ...read, largestBatchSize: 1000 } } }],
    ['--batch-size', { batchSize: 2, replay: { ...replay, read: { ...read, largestBatchSize: 2 } } }],
    [
      '--batch-sizes',
      { space: { batchSize: [1, 2] }, replay: { ...replay, read: { ...read, largestBatchSize: 2 } } },
    ],
  ] satisfies readonly (readonly [string, Parameters<typeof plan>[0]])[])(
    'is refused with %s where it cannot be: %j',
    (where, change) => {
      expect(() => plan(change)).toThrow(expect.objectContaining({ code: 'input-invalid', where }));
    },
  );
});
