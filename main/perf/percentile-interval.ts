import type { LatencyName } from '../contract/latency-intervals';
import type { LatencyHistogram } from './latency-histogram';
import { partsInterval } from './throughput-interval';

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
