import type { LatencyName } from '../contract/measured/results';
import { largestOf, smallestOf, spreadInterval } from '../domain/statistics';
import type { LatencyHistogram } from './latency-histogram';

/** Windows that must agree, and that are merged into the result. */
export const stabilityWindows = 3;

interface SteadyInput {
  readonly inferencesPerSecond: number;
  readonly avgUs: number;
  /** Decides in place of the mean where it was asked for. */
  readonly percentileUs?: number | undefined;
}

/** Largest over smallest. */
const spread = (values: readonly number[]): number => largestOf(values) / smallestOf(values);

/**
 * perf_analyzer's rule: over the last three windows, none without throughput, the largest throughput and the largest
 * mean latency, or that of a percentile, each at most `stabilityPercentage` above the smallest.
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

/** Fewer parts tell no trend. */
const fewestBlocks = 6;
/** 99 %, two-sided, of Student's t with 4 and with many degrees of freedom; between, the stricter one is taken. */
const slopeLimit = 4.604;
/** A smaller change over the whole time does not count as drift. */
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

/**
 * Half width of the interval in which a long measurement lies in 95 of 100, from the values of consecutive parts of a
 * level: t times their standard deviation, and not divided by the root of their number. That division is for independent
 * parts. What changes a server's speed (clock, host, neighbours) lasts longer than a level, so that the means of whole levels
 * scatter as much as those of their parts: over 100 levels of 1.2 s 18 % and 17 %, against 5 % for independent parts, and
 * the divided interval held the long measurement in 40 of 100. null for fewer than three parts.
 */
export const partsInterval = (values: readonly number[]): number | null => spreadInterval(values);

/** Of fewer requests in a part, whether one more ends in it is most of its rate. */
const fewestRequestsPerBlock = 10;

/**
 * The interval of a level's throughput: the wider one of what its finer parts and its windows say. Where what changes a
 * server's speed lasts longer than a part, the parts of a level are alike, and their spread is that within one state of the
 * machine; the few windows, with their larger t, say more then. Where windows are alike by chance, the parts do.
 * @param blocks items a second in each of the finer parts; they count only where they hold enough requests in the mean.
 * @param windows the same of the coarser. @param requests of all.
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

/** Latencies of some consecutive part of a level, microseconds, and the requests that they are of. */
export interface PartLatencies extends Readonly<Record<LatencyName, number>> {
  readonly count: number;
}

/** null where no request ended in the part. */
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

/**
 * Requests of a part. Of fewer a percentile is just the slowest one, whose spread says nothing of the percentile's; of
 * fewer than ten mean and median are little more than the chance of single requests.
 */
const fewestRequests: Readonly<Record<LatencyName, number>> = {
  avgUs: 10,
  p50Us: 10,
  p90Us: 10,
  p95Us: 20,
  p99Us: 100,
};

/**
 * Half width of the interval of one latency of a level, by the rule of {@link partsInterval}, from the finest parts that
 * have enough requests in the mean; null where not even the coarsest have.
 * @param parts the same requests in finer and coarser parts, without those in which none ended.
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

/**
 * perf_analyzer's rule: nearest rank on n - 1, no interpolation.
 * @param sorted ascending, at least one value.
 * @param percent 0 to 100.
 */
export function percentileOf(sorted: ArrayLike<number>, percent: number): number {
  const value = sorted[Math.floor((percent / 100) * (sorted.length - 1) + 0.5)];
  if (value === undefined) throw new RangeError(`No ${percent}th percentile of ${sorted.length} values`);
  return value;
}
