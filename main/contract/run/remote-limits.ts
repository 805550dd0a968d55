import { z } from 'zod';

/** Most load that another machine gets unless somebody raises it knowingly. */
const defaultRemoteLimits = { concurrency: 1024, requestsPerSecond: 10_000 } as const;

export const remoteLimitsSchema = z.strictObject({
  /** Requests under way; 1,024 when absent. */
  concurrency: z.int().min(1).optional(),
  /** Of an open loop; 10,000 when absent. */
  requestsPerSecond: z.number().positive().optional(),
});
export type RemoteLimits = z.infer<typeof remoteLimitsSchema>;

/** What a level asks of the server: requests under way, and requests per second where it is an open loop. */
interface AskedLoad {
  readonly concurrency: number;
  readonly requestRate?: number | undefined;
}
type GivenLimits = { readonly [Key in keyof RemoteLimits]: RemoteLimits[Key] | undefined };

interface OverLimit {
  readonly limit: keyof RemoteLimits;
  /** "2048 requests at a time are more than the 1024 that another machine gets". */
  readonly message: string;
}

/** The first level that is more than another machine gets; null where all are within. Pure. */
export function overRemoteLimit(levels: readonly AskedLoad[], limits: GivenLimits = {}): OverLimit | null {
  const {
    concurrency = defaultRemoteLimits.concurrency,
    requestsPerSecond = defaultRemoteLimits.requestsPerSecond,
  } = limits;
  for (const level of levels) {
    if (level.requestRate !== undefined && level.requestRate > requestsPerSecond) {
      const message = `${Math.round(level.requestRate)} requests per second are more than the ${requestsPerSecond} that another machine gets`;
      return { limit: 'requestsPerSecond', message };
    }
    if (level.concurrency > concurrency) {
      const message = `${level.concurrency} requests at a time are more than the ${concurrency} that another machine gets`;
      return { limit: 'concurrency', message };
    }
  }
  return null;
}
