import { describe, expect, it } from 'vitest';
import { LatencyHistogram } from '../../../main/perf/latency-histogram';
import { percentileInterval } from '../../../main/perf/percentile-interval';
import { partsInterval } from '../../../main/perf/throughput-interval';
import { createRandom } from '../../../main/perf/random';

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

describe('the interval of a percentile', () => {
  const parts = (values: readonly number[], count: number) => values.map((us) => ({ us, count }));

  it('is taken from the finest parts that have enough requests', () => {
    expect(percentileInterval([parts([10, 12, 14], 100)])).toBeCloseTo(8.606, 3);
    const coarse = parts([20, 24, 28], 240);
    expect(percentileInterval([parts([10, 12, 14], 80), coarse])).toBeCloseTo(17.212, 3);
    expect(percentileInterval([parts([10, 12, 14], 20), parts([20, 24, 28], 60)])).toBeNull();
    expect(percentileInterval([parts([10, 12], 500)])).toBeNull();
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
