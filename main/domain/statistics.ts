/** -Infinity if empty. `Math.max(...values)` overflows the stack beyond some 100,000. */
export function largestOf(values: Iterable<number>): number {
  let largest = -Infinity;
  for (const value of values) largest = Math.max(largest, value);
  return largest;
}

/** Infinity if empty. */
export function smallestOf(values: Iterable<number>): number {
  let smallest = Infinity;
  for (const value of values) smallest = Math.min(smallest, value);
  return smallest;
}

/** NaN if empty. */
export function medianOf(values: readonly number[]): number {
  // By value, and ten times as fast as with a function that compares.
  const sorted = Float64Array.from(values).sort();
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? NaN) + upper) / 2;
}

/** Of the distribution on either side of an interval of 95 %. */
const tail = 0.025;

/**
 * Interval of 95 % of the median, whatever the distribution: by the order of independent values. null for fewer than six,
 * of which even the smallest and the largest say less.
 */
export function medianInterval(
  values: readonly number[],
): { readonly low: number; readonly high: number } | null {
  const sorted = [...values].sort((a, b) => a - b);
  const count = sorted.length;
  // Binomial probability that so few values are below the median.
  let chance = 0.5 ** count;
  let below = chance;
  let at = -1;
  while (below <= tail && at < count / 2) {
    at += 1;
    chance *= (count - at) / (at + 1);
    below += chance;
  }
  const [low, high] = [sorted[at], sorted[count - 1 - at]];
  return low === undefined || high === undefined ? null : { low, high };
}

/** Two-sided 95 % quantiles of Student's t, by degrees of freedom from 1. */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
/** Normal quantile, close enough above 30 degrees of freedom. */
const normal = 1.96;
const fewestValues = 3;

/** Student's t, two-sided 95 %. @param degrees rounded down, at least 1 */
export const studentQuantile = (degrees: number): number =>
  quantiles[Math.max(1, Math.floor(degrees)) - 1] ?? normal;

/** Student's t times the standard deviation, not divided by their number; null for fewer than three. */
export function spreadInterval(values: readonly number[]): number | null {
  const count = values.length;
  if (count < fewestValues) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  return studentQuantile(count - 1) * Math.sqrt(variance);
}

/** Half-width of the 95 % interval of the mean of independent values; null for fewer than three. */
export function meanInterval(values: readonly number[]): number | null {
  const spread = spreadInterval(values);
  return spread === null ? null : spread / Math.sqrt(values.length);
}
