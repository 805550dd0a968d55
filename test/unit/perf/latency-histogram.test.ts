import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { histogramError, histogramOf, LatencyHistogram } from '../../../main/perf/latency-histogram';

const filled = (values: readonly number[]) => {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.add(value);
  return histogram;
};

/** perf_analyzer's rule over the whole sample: nearest rank on n - 1. */
const exact = (values: readonly number[], percent: number) =>
  [...values].sort((a, b) => a - b)[Math.floor((percent / 100) * (values.length - 1) + 0.5)] ?? NaN;

/** Microseconds from 1 us to 100 s. */
const latencies = fc.array(fc.double({ min: 1, max: 1e8, noNaN: true }), { minLength: 1, maxLength: 300 });

describe('the histogram of latencies', () => {
  it("follows perf_analyzer's rule within its error", () => {
    const hundred = Array.from({ length: 100 }, (_unused, index) => index + 1);
    // floor(0.5 * 99 + 0.5) = 50, floor(0.9 * 99 + 0.5) = 89, floor(0.99 * 99 + 0.5) = 98
    const found = [50, 90, 99].map((percent) => filled(hundred).percentile(percent));
    for (const [index, value] of [51, 90, 99].entries()) {
      expect(Math.abs((found[index] ?? 0) - value)).toBeLessThanOrEqual(histogramError * value + 1e-3);
    }
  });

  it('is within its error of the whole sample, at any percentile', () => {
    fc.assert(
      fc.property(latencies, fc.integer({ min: 0, max: 100 }), (values, percent) => {
        const value = exact(values, percent);
        // Half a nanosecond where parts are single nanoseconds.
        const error = Math.abs(filled(values).percentile(percent) - value);
        expect(error).toBeLessThanOrEqual(histogramError * value * 1.001 + 1e-3);
      }),
    );
  });

  it('has exact count, mean and largest value', () => {
    fc.assert(
      fc.property(latencies, (values) => {
        const histogram = filled(values);
        expect(histogram.count).toBe(values.length);
        expect(histogram.maxUs).toBe(Math.max(...values));
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        expect(histogram.avgUs).toBeCloseTo(mean, 3);
      }),
    );
  });

  it('of two parts is that of the whole', () => {
    fc.assert(
      fc.property(latencies, latencies, (one, other) => {
        const merged = histogramOf(filled(one).data());
        merged.merge(filled(other));
        const whole = filled([...one, ...other]);
        for (const percent of [0, 50, 99, 100]) {
          expect(merged.percentile(percent)).toBe(whole.percentile(percent));
        }
      }),
    );
  });

  it('is empty after it was cleared', () => {
    const histogram = filled([5, 6]);
    histogram.clear();
    expect(histogram.count).toBe(0);
    expect(() => histogram.percentile(50)).toThrow(RangeError);
    histogram.add(3);
    expect(histogram.percentile(50)).toBe(3);
  });

  it('counts what is longer than it reaches as its longest', () => {
    expect(filled([1e12]).percentile(50)).toBe(1e12);
  });
});
