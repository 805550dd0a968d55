import { describe, expect, it } from 'vitest';
import type { Candidate, Look, LookPhase, SearchStrategy } from '../../../../../main/contract/study/search';
import { rateOf, stepOfRate } from '../../../../../main/domain/study/search/arms';
import { searchAnswer } from '../../../../../main/domain/study/search/search-answer';

const one: Candidate = {
  ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [] },
  ...{ maxQueueDelayUs: 0, threads: 1 },
};
const closed: SearchStrategy = {
  ...{ kind: 'search', runId: 'run', candidates: [one, { ...one, instances: 2 }, { ...one, threads: 2 }] },
  load: { kind: 'closed', batchSize: 1, concurrency: [4, 8] },
  target: { percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
  ...{ budgetS: 300, lookMs: 1000, fullMs: 3000 },
};
const look = (
  candidate: number,
  phase: LookPhase,
  concurrency: number,
  inferencesPerSecond: number,
  change: Partial<Look> = {},
): Look => ({
  ...{ candidate, phase, load: { concurrency }, inferencesPerSecond, seconds: 1 },
  ...{ latencyUs: 10_000, requestCount: 1000, errorCount: 0, meanServerBatch: 2, serverQueueUs: 10 },
  ...change,
});
const five = (candidate: number, values: readonly number[]) =>
  values.map((value) => look(candidate, 'confirm', 8, value));
const screens = [look(1, 'screen', 8, 100), look(2, 'screen', 8, 150), look(3, 'screen', 8, 80)];

describe('the answer of a search', () => {
  it('is the best configuration with what it gives of the present one, and the interval of that', () => {
    const looks = [...screens, ...five(2, [150, 152, 148, 151, 149]), ...five(1, [100, 101, 99, 100, 100])];
    const answer = searchAnswer(closed, { looks, failed: {} });
    expect(answer.sentence).toMatch(
      /^Model instances 2: 150\.0 inferences\/s at concurrency 8 within p99 20\.00 ms, 1\.50 × the present configuration \(1\.4\d to 1\.5\d\)$/,
    );
    expect(answer).toMatchObject({ isConfirmed: true, isWithinNoise: false, isCutShort: false, seconds: 13 });
    expect(answer.rows.map(({ candidate, state }) => [candidate, state])).toEqual([
      [2, 'best'],
      [1, 'measured'],
      [3, 'measured'],
    ]);
  });

  it('calls a gain that the noise can make by its name', () => {
    const looks = [...screens, ...five(2, [150, 110, 148, 90, 149]), ...five(1, [100, 140, 99, 150, 100])];
    const answer = searchAnswer(closed, { looks, failed: {} });
    expect(answer.isWithinNoise).toBe(true);
    expect(answer.sentence).toContain(': within the noise');
  });

  it('says so where the present configuration is the best', () => {
    const looks = [look(1, 'screen', 8, 200), look(2, 'screen', 8, 150), look(3, 'screen', 8, 80)];
    const { sentence, gain } = searchAnswer(closed, { looks, failed: {} });
    expect(sentence).toBe(
      'The present configuration is the best of 3: 200.0 inferences/s at concurrency 8 within p99 20.00 ms',
    );
    expect(gain).toBeNull();
  });

  it('says so where none holds the target, and where the present one does not', () => {
    const slow = (candidate: number) =>
      [4, 8].map((load) => look(candidate, 'edge', load, 100, { latencyUs: 40_000 }));
    const none = searchAnswer(closed, { looks: [1, 2, 3].flatMap(slow), failed: {} });
    expect(none).toMatchObject({
      winner: null,
      sentence:
        'No configuration holds any load within p99 20.00 ms; the lowest p99 that was measured is 40.00 ms, at concurrency 4',
    });
    expect(none.rows.map(({ state }) => state)).toEqual(Array(3).fill('holds no load'));
    const one = searchAnswer(closed, { looks: [...slow(1), ...slow(3), look(2, 'edge', 8, 90)], failed: {} });
    expect(one.sentence).toMatch(/The present configuration holds no load within the target$/);
  });

  it('does not say that none holds the target where one was not taken to its limit', () => {
    const slow = [1, 3].flatMap((candidate) =>
      [4, 8].map((load) => look(candidate, 'edge', load, 100, { latencyUs: 40_000 })),
    );
    const missed = look(2, 'edge', 8, 100, { latencyUs: 40_000 });
    const { sentence, rows, isCutShort } = searchAnswer(closed, { looks: [...slow, missed], failed: {} });
    expect(sentence).toBe(
      'No load within p99 20.00 ms was found; not every configuration was judged; the lowest p99 that was measured is 40.00 ms, at concurrency 4',
    );
    expect(rows.map(({ candidate, state }) => [candidate, state])).toEqual([
      [2, 'not judged'],
      [1, 'holds no load'],
      [3, 'holds no load'],
    ]);
    expect(isCutShort).toBe(true);
  });

  it('does not say that the present one holds no load where it was not taken to its limit', () => {
    const looks = [...screens.slice(1), look(1, 'screen', 8, 50, { latencyUs: 40_000 })];
    const { sentence } = searchAnswer(closed, { looks, failed: {} });
    expect(sentence).toMatch(/The present configuration was not taken to its limit$/);
  });

  it('does not say that one holds no load that was left because it cannot win', () => {
    const open: SearchStrategy = { ...closed, load: { kind: 'open', batchSize: 1 } };
    const at = (candidate: number, step: number, latencyUs: number) =>
      look(candidate, 'edge', 0, rateOf(step), { load: { requestRate: rateOf(step) }, latencyUs });
    const looks = [
      ...[1, 2, 3].map((candidate) => look(candidate, 'screen', 8, 110)),
      ...[at(1, 95, 10_000), at(1, 96, 40_000), at(2, 75, 40_000), at(3, 75, 40_000)],
    ];
    const { rows } = searchAnswer(open, { looks, failed: {} });
    expect(rows.map(({ candidate, state, load }) => [candidate, state, load])).toEqual([
      [1, 'best', rateOf(93)],
      [2, 'cannot win', null],
      [3, 'cannot win', null],
    ]);
  });

  it('says so where none could be measured', () => {
    const error = { code: 'model-load-failed' as const, message: 'no memory' };
    const { sentence, winner } = searchAnswer(closed, {
      looks: [],
      failed: { 1: error, 2: error, 3: error },
    });
    expect(sentence).toBe('None of the 3 configurations could be measured: no memory');
    expect(winner).toBeNull();
  });

  it('has the reason of each candidate that failed', () => {
    const failed = { 3: { code: 'model-load-failed' as const, message: 'no memory' } };
    const { rows } = searchAnswer(closed, { looks: screens.slice(0, 2), failed });
    expect(rows.at(-1)).toMatchObject({ candidate: 3, state: 'failed', reason: 'no memory' });
  });

  it('does not take a load with too many failed requests', () => {
    const looks = [
      look(1, 'screen', 8, 100),
      look(2, 'screen', 8, 900, { errorCount: 50 }),
      look(3, 'screen', 8, 80),
    ];
    expect(searchAnswer(closed, { looks, failed: {} }).winner?.candidate).toBe(1);
  });
});

it('says of rates which is held, and which interval the steps leave', () => {
  const open: SearchStrategy = { ...closed, load: { kind: 'open', batchSize: 1 } };
  const rate = (candidate: number, requestRate: number, latencyUs: number): Look =>
    look(candidate, 'edge', 1, requestRate, { load: { requestRate }, latencyUs });
  const looks = [
    ...screens,
    rate(1, 100, 10_000),
    rate(1, 105, 30_000),
    rate(2, 141, 10_000),
    rate(2, 148, 30_000),
  ];
  const { sentence, winner } = searchAnswer(open, { looks, failed: {} });
  expect(winner?.candidate).toBe(2);
  expect(sentence).toMatch(
    /^Model instances 2: 1\d\d\.\d requests\/s within p99 20\.00 ms, 1\.4\d × the present configuration \(1\.3\d to 1\.4\d\)$/,
  );
});

it('is confirmed only by long looks at the rate that is said to be held', () => {
  const open: SearchStrategy = { ...closed, candidates: [one], load: { kind: 'open', batchSize: 1 } };
  const step = stepOfRate(300);
  const at = (to: number, phase: LookPhase, latencyUs: number): Look =>
    look(1, phase, 1, rateOf(to), { load: { requestRate: rateOf(to) }, latencyUs });
  const edges = [at(step, 'edge', 9000), at(step + 1, 'edge', 90_000)];
  const confirmedBy = (...looks: readonly Look[]) =>
    searchAnswer(open, { looks: [...edges, ...looks], failed: {} }).isConfirmed;
  expect(confirmedBy()).toBe(false);
  // What it misses is given up for a lower rate, which nobody has measured for as long.
  expect(confirmedBy(at(step - 2, 'confirm', 90_000))).toBe(false);
  expect(confirmedBy(at(step - 2, 'confirm', 90_000), at(step - 3, 'confirm', 9000))).toBe(true);
});
