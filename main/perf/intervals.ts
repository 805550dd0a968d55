import type { LatencyName } from '../contract/measured/results';
import { largestOf, smallestOf, spreadInterval } from '../domain/statistics';
import type { LatencyHistogram } from './latency-histogram';

/** Windows that must agree and are merged. */
export const stabilityWindows = 3;

interface SteadyInput {
  readonly inferencesPerSecond: number;
  readonly avgUs: number;
  /** Replaces the mean if requested. */
  readonly percentileUs?: number | undefined;
}

/** Largest over smallest. */
const spread = (values: readonly number[]): number => largestOf(values) / smallestOf(values);

/**
 * perf_analyzer's rule: over the last three windows with throughput, the largest throughput and mean latency (or
 * percentile) are at most `stabilityPercentage` above the smallest.
 */
export function isSteady(windows: readonly SteadyInput[], stabilityPercentage: number): boolean {
  const last = windows.slice(-stabilityWindows);
  if (last.length < stabilityWindows || last.some((window) => window.inferencesPerSecond <= 0)) return false;
  const limit = 1 + stabilityPercentage / 100;
  return (
    spread(last.map((window) => window.inferencesPerSecond)) <= limit &&
    spread(last.map(({ percentileUs, avgUs }) => percentileUs ?? avgUs)) <= limit
  );
}

/** Minimum for a trend. */
const fewestBlocks = 6;
/** Two-sided 99 % quantile of Student's t with 4 degrees of freedom; larger samples use it too, which is stricter. */
const slopeLimit = 4.604;
/** A smaller relative change is not drift. */
const smallestChange = 0.05;

/** Whether the least-squares slope over equal parts is significant at 99 % and the change exceeds 5 % of the mean. */
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

/**
 * Half-width of the 95 % interval of a long measurement, from consecutive parts of a level: t times their standard
 * deviation, not divided by the root of their number. That division assumes independent parts, but speed changes
 * (clock, host, neighbors) outlast a level: over 100 levels of 1.2 s, levels scattered by 18 % and parts by 17 %, and
 * the divided interval held the long measurement in 40 of 100. null for fewer than three parts.
 */
export const partsInterval = (values: readonly number[]): number | null => spreadInterval(values);

/** With fewer requests, one more or less dominates a part's rate. */
const fewestRequestsPerBlock = 10;

/**
 * Half-width of the throughput interval: the wider of parts and windows. Parts of a level may be alike if disturbances
 * outlast a part; windows may be alike by chance.
 * @param blocks items/s in the finer parts, used if they hold enough requests on average. @param windows items/s per
 * window. @param requests total
 */
export function throughputInterval(
  blocks: readonly number[],
  windows: readonly number[],
  requests: number,
): number | null {
  const stated = [
    requests >= fewestRequestsPerBlock * blocks.length ? partsInterval(blocks) : null,
    partsInterval(windows),
  ].flatMap((interval) => interval ?? []);
  return stated.length === 0 ? null : largestOf(stated);
}

/** Latencies of consecutive parts in microseconds, with request counts. */
export interface PartLatencies extends Readonly<Record<LatencyName, number>> {
  readonly count: number;
}

/** null without requests in the part. */
export function partLatencies(times: LatencyHistogram): PartLatencies | null {
  const { count } = times;
  if (count === 0) return null;
  return {
    avgUs: times.avgUs,
    p50Us: times.percentile(50),
    p90Us: times.percentile(90),
    p95Us: times.percentile(95),
    p99Us: times.percentile(99),
    count,
  };
}

/** Minimum requests of a part: with fewer a percentile is just the slowest; below ten, mean and median are chance. */
const fewestRequests: Readonly<Record<LatencyName, number>> = {
  avgUs: 10,
  p50Us: 10,
  p90Us: 10,
  p95Us: 20,
  p99Us: 100,
};

/**
 * Half-width of a latency's interval, by {@link partsInterval} from the finest parts with enough requests on average;
 * null if no partition has.
 * @param parts the same requests, partitioned more and less finely, without empty parts
 */
export function latencyInterval(
  parts: readonly (readonly PartLatencies[])[],
  name: LatencyName,
): number | null {
  for (const same of parts) {
    const total = same.reduce((sum, { count }) => sum + count, 0);
    if (total > 0 && total >= fewestRequests[name] * same.length) {
      return partsInterval(same.map((part) => part[name]));
    }
  }
  return null;
}

/** perf_analyzer's nearest rank on n - 1. @param sorted ascending, not empty. @param percent 0 to 100 */
export function percentileOf(sorted: ArrayLike<number>, percent: number): number {
  const value = sorted[Math.floor((percent / 100) * (sorted.length - 1) + 0.5)];
  if (value === undefined) throw new RangeError(`No ${percent}th percentile of ${sorted.length} values`);
  return value;
}
