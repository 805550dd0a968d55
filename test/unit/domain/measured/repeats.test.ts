import { describe, expect, it } from 'vitest';
import type { JournalBody } from '../../../../main/contract/run/run-events';
import { measuringOrder, plannedTurns, turnKey, turnOf } from '../../../../main/contract/run/sweep';
import { levelsOf } from '../../../../main/domain/measured/points';
import {
  mergedPoint,
  middleRepeatText,
  repeatsText,
  shownScenario,
} from '../../../../main/domain/measured/repeats';
import { medianOf } from '../../../../main/domain/statistics';
import { furtherPoint, spreadOf } from '../../../support/further-point';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

const levels = [
  { batchSize: 1, concurrency: 1 },
  { batchSize: 1, concurrency: 2 },
];

describe('the order of measuring', () => {
  it('goes over all levels round after round', () => {
    expect(
      measuringOrder(levels, 2, ['native']).map(({ level, repeat }) => [level.concurrency, repeat]),
    ).toEqual([
      [1, 1],
      [2, 1],
      [1, 2],
      [2, 2],
    ]);
  });

  it('lets two tools change places at a level: A B, then B A', () => {
    const turns = measuringOrder(levels.slice(0, 1), 3, ['native', 'perf_analyzer']);
    expect(turns.map(({ loadTool }) => loadTool)).toEqual([
      'native',
      'perf_analyzer',
      'perf_analyzer',
      'native',
      'native',
      'perf_analyzer',
    ]);
  });

  it('has no measurement twice, and finds that of a point', () => {
    const spec = specFixture(({ performance }) => {
      performance.repeats = 3;
      performance.crossCheck = true;
    });
    const keys = plannedTurns(spec.performance, 'online').map(turnKey);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.length).toBe(spec.performance.concurrency.length * 3 * 2);
    const point = pointFixture({ batchSize: 1, concurrency: 2, repeat: 3, loadTool: 'perf_analyzer' });
    expect(keys).toContain(turnKey(turnOf(point, 'native')));
  });
});

describe('the median', () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[7], 7],
  ])('of %j is %d', (values, median) => {
    expect(medianOf(values)).toBe(median);
  });
});

describe('several measurements of a level', () => {
  const repeated = (p99Us: number, repeat: number, change = {}) =>
    pointFixture({ batchSize: 1, concurrency: 1, p99Us, repeat, ...change });

  it('are shown as medians with their ranges', () => {
    const merged = mergedPoint([repeated(3000, 1), repeated(9000, 2), repeated(4000, 3)], 0);
    expect(merged.p99Us).toBe(4000);
    expect(merged.repeats?.ranges.p99Us).toEqual({ min: 3000, max: 9000 });
    expect(repeatsText(merged.repeats)).toBe('3 repeats');
    expect(merged.repeat).toBeUndefined();
  });

  it('have intervals from themselves, and none of a latency that one does not tell', () => {
    const of = (us: number, repeat: number, change = {}) =>
      repeated(us, repeat, { avgUs: us, p50Us: us, p90Us: us, p95Us: us, ...change });
    // t of two degrees of freedom, 4.303, times a deviation of 2, by the root of three.
    const half: unknown = expect.closeTo(4.968, 2);
    const merged = mergedPoint([of(10, 1), of(12, 2), of(14, 3)], 0);
    expect(merged.p99IntervalUs).toEqual(half);
    expect(merged.latencyIntervals).toEqual({ avgUs: half, p50Us: half, p90Us: half, p95Us: half });
    const untold = mergedPoint([of(10, 1), of(12, 2), of(14, 3, { avgUs: null })], 0);
    expect(untold.latencyIntervals).toMatchObject({ avgUs: null, p50Us: half });
    const two = mergedPoint([of(10, 1), of(12, 2)], 0);
    expect(two).toMatchObject({ p99IntervalUs: null, latencyIntervals: { p50Us: null } });
  });

  it('have the cache’s counts together, and medians of its times', () => {
    const cached = (hitUs: number | null, repeat: number) =>
      repeated(1, repeat, { cache: { hitCount: 10, missCount: repeat, hitUs, missUs: 50 } });
    expect(mergedPoint([cached(20, 1), cached(26, 2), cached(22, 3)], 0).cache).toEqual({
      ...{ hitCount: 30, missCount: 6 },
      ...{ hitUs: 22, missUs: 50 },
    });
    expect(mergedPoint([cached(20, 1), cached(null, 2)], 0).cache?.hitUs).toBeNull();
    // One without hits has no time of them, and says nothing against the others'.
    const missed = repeated(1, 2, { cache: { hitCount: 0, missCount: 9, hitUs: null, missUs: 50 } });
    expect(mergedPoint([cached(20, 1), missed], 0).cache?.hitUs).toBe(20);
    expect(mergedPoint([missed, missed], 0).cache?.hitUs).toBeNull();
    expect(mergedPoint([repeated(1, 1), repeated(1, 2)], 0)).not.toHaveProperty('cache');
  });

  it('are steady and free of errors only all together', () => {
    const merged = mergedPoint(
      [repeated(1, 1), repeated(1, 2, { stable: false, flags: ['unstable'], errorCount: 3 })],
      0,
    );
    expect(merged).toMatchObject({ stable: false, flags: ['unstable'], errorCount: 3 });
  });

  it('count failed requests of a kind together', () => {
    const failed = (kind: string, count: number) => ({ kind, count, message: `${kind} ${count}` });
    const points = [
      repeated(1, 1, { errorsByKind: [failed('UNAVAILABLE', 2)] }),
      repeated(1, 2),
      repeated(1, 3, { errorsByKind: [failed('INTERNAL', 1), failed('UNAVAILABLE', 3)] }),
    ] as const;
    expect(mergedPoint(points, 0).errorsByKind).toEqual([
      { kind: 'UNAVAILABLE', count: 5, message: 'UNAVAILABLE 2' },
      { kind: 'INTERNAL', count: 1, message: 'INTERNAL 1' },
    ]);
  });

  it('count requests together, and nothing where one does not say', () => {
    const [one, two] = [repeated(1, 1, { requestCount: 5 }), repeated(1, 2, { requestCount: null })];
    expect(mergedPoint([one, one], 0).requestCount).toBe(10);
    expect(mergedPoint([one, two], 0).requestCount).toBeNull();
  });

  it('have latencies from the schedule as medians, and all delayed requests', () => {
    const due = (p99Us: number) => ({
      ...{ avgUs: 1, p50Us: 1, p90Us: 1, p95Us: 1, p99Us, maxUs: p99Us },
      delayedCount: 2,
    });
    const [one, two, three] = [5, 9, 7].map((p99Us, at) => repeated(1, at + 1, { scheduled: due(p99Us) }));
    if (one === undefined || two === undefined || three === undefined) throw new Error('three');
    const merged = mergedPoint([one, two, three], 0);
    expect(merged.scheduled).toMatchObject({ p99Us: 7, delayedCount: 6 });
    expect(merged.repeats?.scheduledRanges).toMatchObject({
      p50Us: { min: 1, max: 1 },
      p99Us: { min: 5, max: 9 },
    });
    const alone = mergedPoint([one, { ...two, scheduled: undefined }], 0);
    expect(alone.repeats?.scheduledRanges).toBeUndefined();
  });

  it('say which of them the figures without a median are of', () => {
    const points = [200, 100, 140].map((inferencesPerSecond, at) =>
      repeated(1, at + 1, { inferencesPerSecond, clientCpuUsPerRequest: at }),
    );
    const [one, two, three] = points;
    if (one === undefined || two === undefined || three === undefined) throw new Error('three');
    const merged = mergedPoint([one, two, three], 0);
    expect(merged.repeats?.middle).toBe(3);
    expect(merged.clientCpuUsPerRequest).toBe(2);
    expect(middleRepeatText(merged.repeats)).toContain('of repeat 3');
    expect(middleRepeatText(undefined)).toBeNull();
  });

  it('have the medians of streams and the sums of checks', () => {
    const of = (us: number, wrongCount: number) =>
      furtherPoint({
        streaming: {
          decoupled: true,
          responsesPerRequest: us,
          responsesPerSecond: us,
          fewestResponses: us,
          mostResponses: us,
          firstResponse: spreadOf(us),
          interResponse: us === 5 ? null : spreadOf(us),
          finalResponse: spreadOf(us),
        },
        outputChecks: { checkedCount: 10, wrongCount, comparedCount: 1, finite: true },
        sharedMemory: { kind: 'system', checkedCount: 2, wrongCount: 0, repairs: 1 },
      });
    const { streaming, outputChecks, sharedMemory } = mergedPoint([of(5, 1), of(7, 0), of(6, 0)], 0);
    expect(streaming).toMatchObject({ responsesPerRequest: 6, fewestResponses: 5, mostResponses: 7 });
    expect(streaming?.firstResponse?.p99Us).toBe(24);
    expect(streaming?.interResponse).toBeNull();
    expect(outputChecks).toEqual({ checkedCount: 30, wrongCount: 1, comparedCount: 3, finite: true });
    expect(sharedMemory).toEqual({ kind: 'system', checkedCount: 6, wrongCount: 0, repairs: 3 });
  });

  it('say how many gave nothing', () => {
    expect(repeatsText(mergedPoint([repeated(1, 1)], 2).repeats)).toBe('1 of 3 repeats');
  });
});

describe('what is shown of a scenario', () => {
  const spec = specFixture(({ performance }) => {
    performance.repeats = 2;
    performance.concurrency = [1, 2];
    performance.crossCheck = true;
  });
  const measured = (key: string, change: object): JournalBody => ({
    ...measurementBody('online', pointFixture({ batchSize: 1, ...change })),
    ...{ key },
  });
  const hole = (key: string, concurrency: number, repeat: number): JournalBody => ({
    type: 'measurement-missing',
    scenario: 'online',
    key,
    batchSize: 1,
    concurrency,
    repeat,
    loadTool: 'native',
    error: { code: 'load-tool-failed', message: 'nothing came' },
  });

  it('is one point a level, by the chosen tool; a level without any measurement is a hole', () => {
    const state = stateOf([
      ...createdBodies(spec),
      measured('a1', { concurrency: 1, repeat: 1, inferencesPerSecond: 100 }),
      measured('b1', { concurrency: 1, repeat: 1, inferencesPerSecond: 900, loadTool: 'perf_analyzer' }),
      hole('a2', 2, 1),
      measured('a3', { concurrency: 1, repeat: 2, inferencesPerSecond: 110 }),
      hole('a4', 2, 2),
    ]);
    const shown = shownScenario(state, 'online');
    expect(shown.points.map(({ point }) => point.inferencesPerSecond)).toEqual([105]);
    expect(shown.missing).toHaveLength(1);
    expect(state.scenarios.online.missing).toHaveLength(2);
    expect(levelsOf(state, 'online').map(({ concurrency, hole: why }) => [concurrency, why?.mark])).toEqual([
      [1, undefined],
      [2, 'missing: load-tool-failed'],
    ]);
  });

  it('takes the later of two results of the same measurement', () => {
    const state = stateOf([
      ...createdBodies(spec),
      measured('old', { concurrency: 1, repeat: 1, inferencesPerSecond: 1 }),
      measured('new', { concurrency: 1, repeat: 1, inferencesPerSecond: 100 }),
    ]);
    expect(shownScenario(state, 'online').points[0]?.point.inferencesPerSecond).toBe(100);
  });
});
