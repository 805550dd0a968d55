import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSteady, partsInterval, throughputInterval } from '../../../main/perf/intervals';
import { onlineConcurrency } from '../../../main/presets/gpu-defaults';

describe('steadiness', () => {
  const windows = (...pairs: readonly (readonly [number, number])[]) =>
    pairs.map(([inferencesPerSecond, avgUs]) => ({ inferencesPerSecond, avgUs }));

  it('needs three windows', () => {
    expect(isSteady(windows([100, 10], [100, 10]), 10)).toBe(false);
    expect(isSteady(windows([100, 10], [100, 10], [100, 10]), 10)).toBe(true);
  });

  it('looks at the last three only', () => {
    expect(isSteady(windows([1, 900], [100, 10], [105, 10], [110, 10.5]), 10)).toBe(true);
  });

  it('holds for throughput and latency alike, at most the percentage above the smallest', () => {
    expect(isSteady(windows([100, 10], [100, 10], [110, 10]), 10)).toBe(true);
    expect(isSteady(windows([100, 10], [100, 10], [110.1, 10]), 10)).toBe(false);
    expect(isSteady(windows([100, 10], [100, 10], [100, 11.1]), 10)).toBe(false);
  });

  it('is not there where a window had no throughput', () => {
    expect(isSteady(windows([0, 0], [0, 0], [0, 0]), 10)).toBe(false);
  });
});

describe('the interval of a throughput', () => {
  it('is that of Student', () => {
    // t of 2 degrees of freedom times a standard deviation of 2.
    expect(partsInterval([10, 12, 14])).toBeCloseTo(8.606, 3);
    expect(partsInterval([5, 5, 5, 5])).toBe(0);
  });

  it('is not told from two blocks', () => {
    expect(partsInterval([1, 2])).toBeNull();
    expect(throughputInterval([1, 2], [1, 2], 100)).toBeNull();
  });

  it('is the wider one of what parts and windows say', () => {
    const windows = [10, 12, 14];
    expect(throughputInterval([12, 12, 12, 12], windows, 1000)).toBeCloseTo(8.606, 3);
    expect(throughputInterval([2, 22, 2, 22], windows, 1000)).toBeCloseTo(
      partsInterval([2, 22, 2, 22]) ?? NaN,
    );
    // Too few requests in a part: whether one more ends in it is most of its rate.
    expect(throughputInterval([2, 22, 2, 22], windows, 39)).toBeCloseTo(8.606, 3);
    expect(throughputInterval([10, 12, 14], [12, 12], 1000)).toBeCloseTo(8.606, 3);
  });
});

describe('the online sweep', () => {
  it('is that of the seeds', () => {
    // total = 2 * 8 * 1 * 2 = 32
    expect(onlineConcurrency({ maxBatchSize: 8, modelInstances: 2 })).toEqual({
      batchSize: 1,
      concurrency: Array.from({ length: 32 }, (_unused, index) => index + 1),
    });
    // total = 512: concurrency 8 to 256 by 8, two items a request
    const large = onlineConcurrency({ maxBatchSize: 256, modelInstances: 1 });
    expect(large.batchSize).toBe(2);
    expect(large.concurrency).toEqual(Array.from({ length: 32 }, (_unused, index) => 8 * (index + 1)));
  });

  it('has a cap of its own where the seed has', () => {
    // Wide & Deep: total = 2 * 131072, batch = total / cap
    const wide = onlineConcurrency({ maxBatchSize: 131_072, modelInstances: 1, cap: 128 });
    expect(wide.batchSize).toBe(2048);
    expect(wide.concurrency.at(0)).toBe(4);
    expect(wide.concurrency.at(-1)).toBe(128);
  });

  it('never goes above the cap, and never below one', () => {
    const positive = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(
        positive,
        positive,
        fc.integer({ min: 1, max: 512 }),
        (maxBatchSize, modelInstances, cap) => {
          const { batchSize, concurrency } = onlineConcurrency({ maxBatchSize, modelInstances, cap });
          expect(batchSize).toBeGreaterThanOrEqual(1);
          expect(concurrency.length).toBeGreaterThan(0);
          expect(concurrency.length).toBeLessThan(64);
          expect(Math.max(...concurrency)).toBeLessThanOrEqual(cap);
          expect(Math.min(...concurrency)).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });

  it('refuses what is no number of instances', () => {
    expect(() => onlineConcurrency({ maxBatchSize: 8, modelInstances: 0 })).toThrow(RangeError);
  });
});
