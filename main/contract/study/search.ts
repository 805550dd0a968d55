import { z } from 'zod';
import type { WireError } from '../errors';
import { runIdPattern } from '../opened';
import { accelerators, formats, precisions } from '../run/run-spec';
import { wireErrorSchema } from '../wire-error';

const positive = z.int().min(1);

/** What has to be exported, converted and checked before it is served. */
const modelSchema = z.strictObject({
  format: z.enum(formats),
  precision: z.enum(precisions),
  backendAccelerator: z.enum(accelerators),
});
export type SearchedFormat = Readonly<z.infer<typeof modelSchema>>;
export const modelFields = modelSchema.keyof().options;

const candidateSchema = z.strictObject({
  /** Absent in a search over one: that of the run. All three are there, or none. */
  ...modelSchema.partial().shape,
  instances: positive,
  maxBatchSize: z.int().min(0),
  batching: z.enum(['disabled', 'static', 'dynamic']),
  preferredBatchSizes: z.array(positive),
  maxQueueDelayUs: z.int().min(0),
  threads: z.int().min(0),
  /** Of each request; absent in a search over one: that of the load. */
  batchSize: positive.optional(),
});
export type Candidate = Readonly<z.infer<typeof candidateSchema>>;
export const candidateFields = candidateSchema.keyof().options;

const loadSchema = z.discriminatedUnion('kind', [
  /** Requests a second at Poisson times, answered or not: what may be promised. */
  z.strictObject({ kind: z.literal('open'), batchSize: positive }),
  /** Requests under way. */
  z.strictObject({ kind: z.literal('closed'), batchSize: positive, concurrency: z.array(positive).min(1) }),
]);

const targetSchema = z.strictObject({
  /** Which latency it is of. */
  percentile: z.int().min(50).max(99),
  latencyUs: positive,
  /** Largest share of failed requests. */
  errorPercentage: z.number().min(0).max(100),
});

/** Finds the configuration that takes the most load within a target. */
export const searchStrategySchema = z.object({
  kind: z.literal('search'),
  /** The finished run whose model it is. */
  runId: z.string().regex(runIdPattern),
  /** The first is the run as it is. */
  candidates: z.array(candidateSchema).min(1).max(200),
  load: loadSchema,
  target: targetSchema,
  /** Seconds of load, the last comparison among them. */
  budgetS: z.number().positive(),
  /** Of a short measurement, and of one of the last comparison, milliseconds. */
  lookMs: positive,
  fullMs: positive,
});
export type SearchStrategy = Readonly<z.infer<typeof searchStrategySchema>>;

const list = <Schema extends z.ZodType>(of: Schema) => z.array(of).min(1).max(64);

/** Values to try, by field; a field that is left out is varied as the machine and the target suggest. */
const searchSpaceSchema = z
  .strictObject({
    instances: list(candidateSchema.shape.instances),
    maxBatchSize: list(candidateSchema.shape.maxBatchSize),
    batching: list(candidateSchema.shape.batching),
    preferredBatchSizes: list(candidateSchema.shape.preferredBatchSizes),
    maxQueueDelayUs: list(candidateSchema.shape.maxQueueDelayUs),
    threads: list(candidateSchema.shape.threads),
    format: list(modelSchema.shape.format),
    precision: list(modelSchema.shape.precision),
    backendAccelerator: list(modelSchema.shape.backendAccelerator),
    batchSize: list(positive),
  })
  .partial();
export type SearchSpace = Readonly<z.infer<typeof searchSpaceSchema>>;

/** What a person asks a search for; what is left out is taken from the run and the machine. */
export const searchRequestSchema = z.strictObject({
  runId: z.string().regex(runIdPattern),
  /** Absent: by date and time. */
  name: z.string().optional(),
  space: searchSpaceSchema,
  load: z.enum(['open', 'closed']),
  batchSize: positive.optional(),
  concurrency: list(positive).optional(),
  percentile: targetSchema.shape.percentile.optional(),
  latencyUs: positive.optional(),
  errorPercentage: targetSchema.shape.errorPercentage.optional(),
  budgetS: z.number().positive().optional(),
});
export type SearchRequest = Readonly<z.infer<typeof searchRequestSchema>>;

/** What is sent in a measurement: requests under way, or requests a second. */
const lookLoadSchema = z.union([
  z.strictObject({ concurrency: positive }),
  z.strictObject({ requestRate: z.number().positive() }),
]);
export type LookLoad = Readonly<z.infer<typeof lookLoadSchema>>;

/**
 * `screen`: what it gives when it is never idle. `edge`: whether it holds a load. `race`: beside others that are as good.
 * `confirm`: the best and the present configuration, at full length.
 */
const phases = ['screen', 'edge', 'race', 'confirm'] as const;
export type LookPhase = (typeof phases)[number];

export const lookSchema = z.object({
  /** Place in the list, from 1. */
  candidate: positive,
  phase: z.enum(phases),
  load: lookLoadSchema,
  /** Of load, with its warm-up. */
  seconds: z.number().min(0),
  inferencesPerSecond: z.number().min(0),
  /** The percentile of the target; from the time at which a request was due where there is a rate. */
  latencyUs: z.number().min(0),
  requestCount: z.int().min(0),
  errorCount: z.int().min(0),
  /** null: not known. */
  meanServerBatch: z.number().min(0).nullable(),
  serverQueueUs: z.number().min(0).nullable(),
});
/** One measurement of a candidate. */
export type Look = Readonly<z.infer<typeof lookSchema>>;

export const candidateFailedSchema = z.object({ candidate: positive, error: wireErrorSchema });

/** What a journal has of a search. */
export interface Searched {
  readonly looks: readonly Look[];
  /** Candidates that cannot be measured, by number. */
  readonly failed: Readonly<Record<number, WireError>>;
}
