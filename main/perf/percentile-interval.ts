import { partsInterval } from './throughput-interval';

/** A percentile of some consecutive part of a level, and the requests that it is of. */
export interface PartPercentile {
  readonly us: number;
  readonly count: number;
}

/** Of fewer requests the 99th percentile is just the slowest one, whose spread says nothing of the percentile's. */
const fewestRequests = 100;

/**
 * Half width of the interval of a level's p99, by the rule of {@link partsInterval}, from the finest parts that have enough
 * requests in the mean; null where not even the coarsest have.
 * @param parts the same requests in finer and coarser parts.
 */
export function percentileInterval(parts: readonly (readonly PartPercentile[])[]): number | null {
  for (const same of parts) {
    const total = same.reduce((sum, { count }) => sum + count, 0);
    if (total >= fewestRequests * same.length) return partsInterval(same.map(({ us }) => us));
  }
  return null;
}
