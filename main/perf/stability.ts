import { largestOf, smallestOf } from '../contract/extremes';

/** Windows that must agree, and that are merged into the result (performance.md 1.4). */
export const stabilityWindows = 3;

export interface SteadyInput {
  readonly inferencesPerSecond: number;
  readonly avgUs: number;
}

/** Largest over smallest. */
const spread = (values: readonly number[]): number => largestOf(values) / smallestOf(values);

/**
 * perf_analyzer's rule: over the last three windows, none without throughput, the largest throughput and the largest
 * mean latency each at most `stabilityPercentage` above the smallest.
 */
export function isSteady(windows: readonly SteadyInput[], stabilityPercentage: number): boolean {
  const last = windows.slice(-stabilityWindows);
  if (last.length < stabilityWindows || last.some((window) => window.inferencesPerSecond <= 0)) return false;
  const limit = 1 + stabilityPercentage / 100;
  return (
    spread(last.map((window) => window.inferencesPerSecond)) <= limit &&
    spread(last.map((window) => window.avgUs)) <= limit
  );
}
