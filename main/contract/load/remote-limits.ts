import { z } from 'zod';

/** Load limits of another machine, unless raised explicitly. */
export const defaultRemoteLimits = { concurrency: 1024, requestsPerSecond: 10_000 } as const;

export const remoteLimitsSchema = z.lazy(() =>
  z.strictObject({
    concurrency: z.int().min(1).optional(),
    requestsPerSecond: z.number().positive().optional(),
  }),
);
export type RemoteLimits = z.infer<typeof remoteLimitsSchema>;
