import { z } from 'zod';

const us = z.number().min(0);

/** Percentiles by the same rule as the latency's. */
export const spreadSchema = z.object({ avgUs: us, p50Us: us, p90Us: us, p95Us: us, p99Us: us, maxUs: us });
export type Spread = z.infer<typeof spreadSchema>;
