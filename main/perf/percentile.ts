/**
 * perf_analyzer's rule: nearest rank on n - 1, no interpolation (performance.md 1.3).
 * @param sorted ascending, at least one value.
 * @param percent 0 to 100.
 */
export function percentileOf(sorted: ArrayLike<number>, percent: number): number {
  const value = sorted[Math.floor((percent / 100) * (sorted.length - 1) + 0.5)];
  if (value === undefined) throw new RangeError(`No ${percent}th percentile of ${sorted.length} values`);
  return value;
}
