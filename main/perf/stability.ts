import { largestOf, smallestOf } from '../contract/statistics';

/** Windows that must agree, and that are merged into the result (performance.md 1.4). */
export const stabilityWindows = 3;

interface SteadyInput {
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

/** Fewer parts tell no trend. */
const fewestBlocks = 6;
/** 99 %, two-sided, of Student's t with 4 and with many degrees of freedom; between, the stricter one is taken. */
const slopeLimit = 4.604;
/** A smaller change over all of the time is no drift that matters. */
const smallestChange = 0.05;

/**
 * Whether a value goes one way over consecutive equal parts of time: the slope of the least-squares line is further from 0
 * than noise makes it in 99 of 100, and the line's change is more than 5 % of the mean.
 */
export function isDrifting(blocks: readonly number[]): boolean {
  const count = blocks.length;
  if (count < fewestBlocks) return false;
  const mean = blocks.reduce((sum, value) => sum + value, 0) / count;
  const middle = (count - 1) / 2;
  let products = 0;
  let squares = 0;
  for (const [index, value] of blocks.entries()) {
    products += (index - middle) * (value - mean);
    squares += (index - middle) ** 2;
  }
  const slope = products / squares;
  if (Math.abs(slope * (count - 1)) <= smallestChange * Math.abs(mean)) return false;
  const residuals = blocks.reduce(
    (sum, value, index) => sum + (value - mean - slope * (index - middle)) ** 2,
    0,
  );
  const deviation = Math.sqrt(residuals / (count - 2) / squares);
  return Math.abs(slope) > slopeLimit * deviation;
}
