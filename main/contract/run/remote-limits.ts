import { z } from 'zod';

/** Most load that another machine gets unless somebody raises it knowingly. */
export const defaultRemoteLimits = { concurrency: 1024, requestsPerSecond: 10_000 } as const;

export const remoteLimitsSchema = z.strictObject({
  /** Requests under way; 1,024 when absent. */
  concurrency: z.int().min(1).optional(),
  /** Of an open loop; 10,000 when absent. */
  requestsPerSecond: z.number().positive().optional(),
});
export type RemoteLimits = z.infer<typeof remoteLimitsSchema>;
