import { z } from 'zod';
import { later } from '../later';
import { formatDuration, formatMs, formatRate, formatShortShare, formatTyped } from '../numbers';

const us = z.number().min(0);
const counted = z.int().min(0);

/** Requests that were refused, by reason. */
const refusedSchema = later(() => z.object({ queueFull: counted, timeout: counted, cancelled: counted }));
export type Refused = Readonly<z.infer<typeof refusedSchema>>;

export const refusedCount = ({ refused }: { readonly refused?: Refused | undefined }): number =>
  refused === undefined ? 0 : refused.queueFull + refused.timeout + refused.cancelled;

/** Requests by the time at which they were due; latencies from then on, of the answered ones. */
const sliceSchema = later(() =>
  z.object({
    /** From the start of the first window. */
    startUs: us,
    durationUs: z.number().positive(),
    /** Requests that were due, and what they came to. */
    due: counted,
    answered: counted,
    refused: counted,
    errors: counted,
    /** Items of requests that were answered within the slice, per second. */
    inferencesPerSecond: z.number().min(0),
    /** null: none was answered. */
    avgUs: us.nullable(),
    p50Us: us.nullable(),
    p99Us: us.nullable(),
    /** Mean number of requests that were due and not yet answered. */
    inFlight: z.number().min(0),
    /** Answered requests within the budget; absent: none was given. */
    good: counted.optional(),
  }),
);
export type Slice = Readonly<z.infer<typeof sliceSchema>>;

const timelineSchema = later(() =>
  z.object({
    sliceUs: z.number().positive(),
    /** Of a good request; absent: none was given. */
    budgetUs: us.optional(),
    /** Good requests per second over the whole level. */
    goodPerSecond: z.number().min(0).optional(),
    slices: z.array(sliceSchema),
  }),
);
export type Timeline = Readonly<z.infer<typeof timelineSchema>>;

/** What a level above its promised rate came to. */
const overloadSchema = later(() =>
  z.object({
    /** Largest rate over the promised one. */
    factor: z.number().positive(),
    fromUs: us,
    toUs: us,
    /** Of the requests that were due in this time. */
    due: counted,
    refusedShare: z.number().min(0).max(1),
    errorShare: z.number().min(0).max(1),
    /** From the schedule; null: none was answered. */
    p99Us: us.nullable(),
    /** Latency up to which the server is well: the budget, or twice the p99 before the overload. null: not known. */
    wellUs: us.nullable(),
    /** Requests in flight and latency rose until the overload ended. */
    endless: z.boolean(),
    /** From the end of the overload; null: not within the level, or not known. */
    recoveryUs: us.nullable(),
  }),
);
export type Overload = Readonly<z.infer<typeof overloadSchema>>;

/** Columns of a level about the shape of its load and what was refused; each absent where it does not apply. */
export const shapedSchema = z.object({
  /** Of `gamma` distribution. */
  burstiness: z.number().positive().optional(),
  /** Time in which the load rose to its height, before the warm-up. */
  rampUpMs: z.number().positive().optional(),
  /** Parts of the level with rates of their own; `requestRate` is the promised one. */
  stages: z
    .array(z.object({ fromRate: z.number().min(0), toRate: z.number().min(0), seconds: z.number().min(0) }))
    .optional(),
  /** Requests that were refused or cancelled, which are neither answered nor errors. */
  refused: refusedSchema.optional(),
  /** By the time at which requests were due. */
  timeline: timelineSchema.optional(),
  /** Of stages above the promised rate. */
  overload: overloadSchema.optional(),
});

const times = (factor: number): string =>
  Math.abs(factor - 2) < 0.005 ? 'twice' : `${formatTyped(Number(factor.toFixed(2)))} times`;

function recoveryText({ recoveryUs, wellUs }: Overload): string {
  if (wellUs === null) return 'the latency without overload was not measured';
  if (recoveryUs === null) return 'the server does not recover by the end of the level';
  return recoveryUs === 0
    ? 'the server recovers at once'
    : `the server recovers in ${formatDuration(recoveryUs)}`;
}

/** A server that answers less than this share of the promised rate has lost throughput, and does not only refuse the surplus. */
const lostBelow = 0.9;

/** Requests per second that were due in the overload and answered. */
export const answeredRate = ({ due, refusedShare, errorShare, fromUs, toUs }: Overload): number =>
  (1e6 * due * (1 - refusedShare - errorShare)) / (toUs - fromUs);

/** " While it refuses requests, the server answers 6 requests/s, fewer than the promised 33."; empty where it answers as many. */
function lostText(overload: Overload, promisedRate: number | undefined): string {
  const rate = answeredRate(overload);
  if (promisedRate === undefined || overload.refusedShare === 0) return '';
  if (rate >= lostBelow * promisedRate) return '';
  const [answered, promised] = [rate, promisedRate].map(formatRate);
  return ` While it refuses requests, the server answers ${answered} requests/s, fewer than the promised ${promised}.`;
}

/**
 * "At twice the promised rate, 41 % of requests are refused, …, and the server recovers in 1.9 s."
 * @param promisedRate requests per second: `requestRate` of the level
 */
export function overloadText(overload: Overload, promisedRate?: number): string {
  const { factor, refusedShare, errorShare, p99Us, wellUs, endless } = overload;
  const at = `At ${times(factor)} the promised rate`;
  const again = recoveryText(overload);
  const failed = errorShare === 0 ? '' : `, ${formatShortShare(errorShare)} fail`;
  if (endless) {
    const grown = p99Us === null ? '' : `, up to a p99 of ${formatMs(p99Us)} ms`;
    return `${at}, the queue grows without end${grown}${failed}, and ${again}.`;
  }
  const refused =
    refusedShare === 0
      ? 'no request is refused'
      : `${formatShortShare(refusedShare)} of requests are refused`;
  if (p99Us === null) return `${at}, ${refused}${failed}, none is answered, and ${again}.`;
  const lost = lostText(overload, promisedRate);
  const verb = wellUs !== null && p99Us > wellUs ? 'reach' : 'keep';
  const accepted =
    refusedShare === 0
      ? `p99 ${verb === 'keep' ? 'stays at' : 'reaches'}`
      : `the accepted ones ${verb} a p99 of`;
  return `${at}, ${refused}${failed}, ${accepted} ${formatMs(p99Us)} ms, and ${again}.${lost}`;
}

/** "312 good requests/s within 50 ms"; null without a budget. */
export function goodText({ budgetUs, goodPerSecond }: Timeline): string | null {
  if (budgetUs === undefined || goodPerSecond === undefined) return null;
  return `${formatRate(goodPerSecond)} good requests/s within ${formatMs(budgetUs)} ms`;
}
