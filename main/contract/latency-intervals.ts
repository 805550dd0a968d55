import { z } from 'zod';

const us = z.number().min(0).nullable();

/** Half widths of the 95 % intervals of the mean and of the percentiles below p99; null: too few requests or parts. */
export const latencyIntervalsSchema = z.object({ avgUs: us, p50Us: us, p90Us: us, p95Us: us });
export type LatencyIntervals = z.infer<typeof latencyIntervalsSchema>;

/** The latencies of a level that have an interval, in the order of the result tables. */
export const latencyNames = ['p50Us', 'p90Us', 'p95Us', 'p99Us', 'avgUs'] as const;
export type LatencyName = (typeof latencyNames)[number];

interface StatedIntervals {
  readonly p99IntervalUs?: number | null | undefined;
  readonly latencyIntervals?: LatencyIntervals | undefined;
}

/** Half width of the 95 % interval of one latency of a level, microseconds; null where it is not known. */
export const latencyIntervalUs = (
  { p99IntervalUs, latencyIntervals }: StatedIntervals,
  name: LatencyName,
): number | null => (name === 'p99Us' ? p99IntervalUs : latencyIntervals?.[name]) ?? null;
