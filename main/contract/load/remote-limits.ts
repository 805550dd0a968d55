import { z } from 'zod';
import { later } from '../later';

/** Load limits of another machine, unless raised explicitly. */
export const defaultRemoteLimits = { concurrency: 1024, requestsPerSecond: 10_000 } as const;

export const remoteLimitsSchema = later(() =>
  z.strictObject({
    concurrency: z.int().min(1).optional(),
    requestsPerSecond: z.number().positive().optional(),
  }),
);
export type RemoteLimits = z.infer<typeof remoteLimitsSchema>;
