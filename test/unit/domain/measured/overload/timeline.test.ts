import { describe, expect, it } from 'vitest';
import { stagesOf } from '../../../../../main/contract/load/stages';
import { answeredRate, overloadText } from '../../../../../main/contract/measured/timeline';
import { stagedTimes } from '../../../../../main/domain/arrivals/staged-times';
import {
  joinedOutcomes,
  outcome,
  overloadOf,
  sliceUsOf,
  timelineOf,
} from '../../../../../main/domain/measured/overload/timeline';
import { simulatedQueue } from '../../../../support/simulated-queue';

const outcomesOf = (requests: readonly (readonly [dueS: number, latencyMs: number, kind: number])[]) => ({
  dueUs: Float64Array.from(requests, ([due]) => 1e6 * due),
  latencyUs: Float64Array.from(requests, ([, latency]) => 1000 * latency),
  kinds: Uint8Array.from(requests, ([, , kind]) => kind),
});
const { answered, refused, error } = outcome;

describe('a timeline', () => {
  it('has each request in the slice in which it was due, and its answer in the one in which it came', () => {
    const outcomes = outcomesOf([
      [0.1, 100, answered],
      [0.5, 700, answered],
      [0.9, 1, refused],
      [1.5, 20, answered],
      [1.6, 2, error],
    ]);
    const { slices, goodPerSecond } = timelineOf(outcomes, {
      ...{ sliceUs: 1e6, spanUs: 2.5e6, items: 4, budgetUs: 150_000 },
    });
    expect(slices).toMatchObject([
      { startUs: 0, due: 3, answered: 2, refused: 1, errors: 0, p50Us: 700_000, p99Us: 700_000, good: 1 },
      { startUs: 1e6, due: 2, answered: 1, refused: 0, errors: 1, p99Us: 20_000, good: 1 },
      { startUs: 2e6, due: 0, answered: 0, p99Us: null, avgUs: null, durationUs: 500_000 },
    ]);
    expect(slices.map(({ inferencesPerSecond }) => inferencesPerSecond)).toEqual([4, 8, 0]);
    // 0.1 s, the half second until the first slice ends, and 1 ms.
    expect(slices[0]?.inFlight).toBeCloseTo(0.601, 6);
    expect(goodPerSecond).toBeCloseTo(2 / 2.5, 9);
  });

  it('joins a rest shorter than half of a slice into the slice before, with the counts and the time of both', () => {
    const outcomes = outcomesOf([
      [0.5, 100, answered],
      [1.5, 20, answered],
      [1.9, 100, answered],
      [2.001, 50, refused],
      [2.001, 900, answered],
    ]);
    const { slices } = timelineOf(outcomes, { sliceUs: 1e6, spanUs: 2.0014e6, items: 1 });
    expect(slices).toHaveLength(2);
    expect(slices[1]).toMatchObject({ startUs: 1e6, due: 4, answered: 3, refused: 1, p99Us: 900_000 });
    expect(slices[1]?.durationUs).toBeCloseTo(1.0014e6, 3);
    expect(slices[1]?.inferencesPerSecond).toBeCloseTo(3 / 1.0014, 6);
    // 20 ms and 100 ms, and of the last two what is within the measurement.
    expect(slices[1]?.inFlight).toBeCloseTo((0.02 + 0.1 + 2 * 0.0004) / 1.0014, 6);
    const durations = (spanUs: number) =>
      timelineOf(outcomes, { sliceUs: 1e6, spanUs, items: 1 }).slices.map(({ durationUs }) => durationUs);
    expect(durations(2.49e6)).toEqual([1e6, 1.49e6]);
    expect(durations(2.5e6)).toEqual([1e6, 1e6, 0.5e6]);
    expect(durations(0.3e6)).toEqual([0.3e6]);
  });

  it('counts every request once, however they are spread over windows', () => {
    const times = stagedTimes(stagesOf(['500:2s', '1000:1s'], 500), { distribution: 'poisson', seed: 9 });
    const all = simulatedQueue(times, { serviceUs: 1200, queue: 8 });
    const half = times.length / 2;
    const part = (from: number, to?: number) => ({
      dueUs: all.dueUs.slice(from, to),
      latencyUs: all.latencyUs.slice(from, to),
      kinds: all.kinds.slice(from, to),
    });
    const joined = joinedOutcomes([part(0, half), part(half)]);
    const { slices } = timelineOf(joined, { sliceUs: 250_000, spanUs: 3e6, items: 1 });
    expect(slices).toHaveLength(12);
    expect(slices.reduce((sum, { due }) => sum + due, 0)).toBe(times.length);
    expect(slices.reduce((sum, slice) => sum + slice.answered + slice.refused + slice.errors, 0)).toBe(
      times.length,
    );
  });

  it('has slices of a fortieth of the stages, of the length that was asked for, or none', () => {
    expect(sliceUsOf({ stages: [] }, 40e6)).toBe(1e6);
    expect(sliceUsOf({ stages: [] }, 1e6)).toBe(100_000);
    expect(sliceUsOf({ stages: [], sliceDurationS: 0.5 }, 40e6)).toBe(500_000);
    expect(sliceUsOf({}, 40e6)).toBeNull();
  });
});

/** 100 requests/s are promised, of which the server does at most 120. */
const serviceUs = 1e6 / 120;
const promised = 100;
const overloaded = (texts: readonly string[], queue?: number, budgetUs?: number) => {
  const stages = stagesOf(texts, promised);
  const times = stagedTimes(stages, { distribution: 'constant', seed: 1 });
  const outcomes = simulatedQueue(times, { serviceUs, ...(queue === undefined ? {} : { queue }) });
  return overloadOf(outcomes, stages, {
    ...{ promisedRate: promised, scatter: 0 },
    ...(budgetUs === undefined ? {} : { budgetUs }),
  });
};

describe('an overload', () => {
  it('is refused in part where the queue has an end, and recovers at once', () => {
    const found = overloaded(['step:40s'], 16);
    // What is not capacity is refused: 1 - 120 / 200.
    expect(found?.refusedShare).toBeGreaterThan(0.37);
    expect(found?.refusedShare).toBeLessThan(0.43);
    expect(found).toMatchObject({ factor: 2, fromUs: 10e6, toUs: 20e6, endless: false, errorShare: 0 });
    // A full queue of 16 before it.
    expect(found?.p99Us).toBeLessThanOrEqual(17 * serviceUs + 1);
    expect(found?.p99Us).toBeGreaterThan(15 * serviceUs);
    // The queue of 16 is worked off at 20 requests/s more than come in.
    expect(found?.recoveryUs).toBeGreaterThan(0.5e6);
    expect(found?.recoveryUs).toBeLessThan(0.9e6);
    expect(overloadText({ ...(found as NonNullable<typeof found>), recoveryUs: 1.9e6 })).toMatch(
      /^At twice the promised rate, (?:39|40|41)(?:\.\d)? % of requests are refused, the accepted ones reach a p99 of 1\d\d(?:\.\d)? ms, and the server recovers in 1\.9 s\.$/,
    );
  });

  it('says that a server answers fewer than promised while it refuses, and not where it refuses the surplus only', () => {
    const found = overloaded(['step:40s'], 16) as NonNullable<ReturnType<typeof overloaded>>;
    expect(answeredRate(found)).toBeGreaterThan(115);
    expect(answeredRate(found)).toBeLessThan(125);
    expect(overloadText(found, promised)).not.toContain('While');
    expect(overloadText({ ...found, refusedShare: 0.915 }, promised)).toMatch(
      /\. While it refuses requests, the server answers 17\.00 requests\/s, fewer than the promised 100(?:\.0)?\.$/,
    );
  });

  it('queues without end where the queue has none, and recovers only after the backlog', () => {
    const found = overloaded(['step:100s']);
    expect(found).toMatchObject({ endless: true, refusedShare: 0 });
    // 25 s at 80 requests/s too many, worked off at 20 a second more than come in: 100 s, longer than the level.
    expect(found?.recoveryUs).toBeNull();
    expect(overloadText(found as NonNullable<typeof found>)).toMatch(
      /^At twice the promised rate, the queue grows without end, up to a p99 of [\d,.]+ ms, and the server does not recover by the end of the level\.$/,
    );
    const short = overloaded(['1x:10s', '2x:2s', '1x:30s']);
    // 160 requests too many take 8 s, the last of which are within twice the usual latency.
    expect(short?.recoveryUs).toBeGreaterThan(6e6);
    expect(short?.recoveryUs).toBeLessThan(8.1e6);
  });

  it('is none where the server keeps up, and where no stage is above the promised rate', () => {
    const kept = overloaded(['1x:10s', '1.1x:10s', '1x:10s'], 16);
    expect(kept).toMatchObject({ endless: false, refusedShare: 0, recoveryUs: 0 });
    expect(overloadText(kept as NonNullable<typeof kept>)).toBe(
      'At 1.1 times the promised rate, no request is refused, p99 stays at 8.33 ms, and the server recovers at once.',
    );
    expect(overloaded(['diurnal'])).toBeNull();
  });

  it('is judged by the budget where there is one', () => {
    expect(overloaded(['step:40s'], 16, 1e6)).toMatchObject({ wellUs: 1e6, recoveryUs: 0 });
    expect(overloaded(['step:40s'], 16, 1)).toMatchObject({ recoveryUs: null });
  });

  it('without a time before has no measure of what is well', () => {
    const found = overloaded(['2x:10s', '1x:20s'], 16);
    expect(found).toMatchObject({ wellUs: null, recoveryUs: null });
    expect(overloadText(found as NonNullable<typeof found>)).toContain('was not measured');
  });
});
