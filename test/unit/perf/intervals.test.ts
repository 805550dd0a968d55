import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../main/domain/random';
import { latencyInterval, partLatencies, partsInterval } from '../../../main/perf/intervals';
import { LatencyHistogram } from '../../../main/perf/latency-histogram';

/** Exponentially distributed latencies; those of the blocks in `slow` are longer. */
function exponential(seed: number, blocks: number, requests: number, slow = new Set<number>()) {
  const next = createRandom(seed);
  return Array.from({ length: blocks }, (_unused, block) =>
    Array.from({ length: requests }, () => 1000 - Math.log(1 - next()) * 1000 * (slow.has(block) ? 3 : 1)),
  );
}

/** Part percentiles of a slowly wandering server: each part lies near the one before. */
function wandering(seed: number, count: number): number[] {
  const next = createRandom(seed);
  let level = 0;
  return Array.from({ length: count }, () => {
    level = 0.99 * level + (next() - 0.5);
    return 1000 + 20 * level;
  });
}

describe('the interval of a latency', () => {
  /** Parts whose latencies are all the same value. */
  const parts = (values: readonly number[], count: number) =>
    values.map((us) => ({ avgUs: us, p50Us: us, p90Us: us, p95Us: us, p99Us: us, count }));

  it('is taken from the finest parts that have enough requests', () => {
    expect(latencyInterval([parts([10, 12, 14], 100)], 'p99Us')).toBeCloseTo(8.606, 3);
    const coarse = parts([20, 24, 28], 240);
    expect(latencyInterval([parts([10, 12, 14], 80), coarse], 'p99Us')).toBeCloseTo(17.212, 3);
    expect(latencyInterval([parts([10, 12, 14], 20), parts([20, 24, 28], 60)], 'p99Us')).toBeNull();
    expect(latencyInterval([parts([10, 12], 500)], 'p99Us')).toBeNull();
    expect(latencyInterval([[], []], 'p99Us')).toBeNull();
  });

  it.each([
    ['avgUs', 10],
    ['p50Us', 10],
    ['p90Us', 10],
    ['p95Us', 20],
    ['p99Us', 100],
  ] as const)('of %s needs %d requests a part', (name, fewest) => {
    expect(latencyInterval([parts([10, 12, 14], fewest)], name)).toBeCloseTo(8.606, 3);
    expect(latencyInterval([parts([10, 12, 14], fewest - 1)], name)).toBeNull();
  });

  it('is of the latency that is asked for', () => {
    const own = parts([10, 10, 10], 100).map((part, index) => ({ ...part, p95Us: 10 + 2 * index }));
    expect(latencyInterval([own], 'p95Us')).toBeCloseTo(8.606, 3);
    expect(latencyInterval([own], 'p50Us')).toBe(0);
  });

  it('knows nothing of a part without requests', () => {
    const times = new LatencyHistogram();
    expect(partLatencies(times)).toBeNull();
    for (const us of [100, 200, 300]) times.add(us);
    expect(partLatencies(times)).toMatchObject({ avgUs: 200, count: 3 });
  });
});

describe('the interval of a level', () => {
  it('holds what a long measurement gives, though its parts depend on each other', () => {
    const values = wandering(11, 12 * 400);
    const truth = values.reduce((sum, value) => sum + value, 0) / values.length;
    const levels = Array.from({ length: 400 }, (_unused, index) =>
      values.slice(12 * index, 12 * (index + 1)),
    );
    const covered = levels.filter((level) => {
      const mean = level.reduce((sum, value) => sum + value, 0) / level.length;
      return Math.abs(mean - truth) <= (partsInterval(level) ?? 0);
    });
    const divided = levels.filter((level) => {
      const mean = level.reduce((sum, value) => sum + value, 0) / level.length;
      return Math.abs(mean - truth) <= (partsInterval(level) ?? 0) / Math.sqrt(12);
    });
    expect(covered.length).toBeGreaterThan(1.5 * divided.length);
  });
});

describe('the classes of a histogram', () => {
  it('grow by one factor and hold every value', () => {
    const histogram = new LatencyHistogram();
    for (const latency of exponential(5, 1, 5000).flat()) histogram.add(latency);
    const { edgesUs, counts } = histogram.bins(24);
    expect(edgesUs).toHaveLength(25);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5000);
    const factors = edgesUs.slice(1).map((edge, index) => edge / (edgesUs[index] ?? NaN));
    for (const factor of factors) expect(factor).toBeCloseTo(factors[0] ?? NaN, 6);
    expect(edgesUs.at(-1)).toBeCloseTo(histogram.maxUs, 3);
  });

  it('are one where all values are the same, and none without values', () => {
    const histogram = new LatencyHistogram();
    expect(histogram.bins(4)).toEqual({ edgesUs: [], counts: [] });
    histogram.add(250);
    histogram.add(250);
    expect(histogram.bins(4).counts).toEqual([2, 0, 0, 0]);
  });
});
