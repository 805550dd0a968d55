import { z } from 'zod';
import { tlsFilesSchema } from '../address';
import type { WireError } from '../errors';
import { hostNameSchema } from '../host/host-name';
import { later } from '../later';
import { replaySchema } from '../load/replay';
import { type TakenMemory, takenMemorySchema } from '../measured/model-memory';
import { loadPointSchema } from '../measured/results';
import { runIdPattern } from '../opened';
import { accelerators, engines, exportFormats, precisions } from '../run/run-spec';
import { choiceSchema } from '../run/spec-tools';
import { modelNameSchema } from '../served-repository';
import { wireErrorSchema } from '../wire-error';

const positive = z.int().min(1);

/** What has to be exported, converted and checked before it is served. */
const modelSchema = z.strictObject({
  format: z.enum(exportFormats),
  precision: z.enum(precisions),
  backendAccelerator: z.enum(accelerators),
});
export type SearchedFormat = Readonly<z.infer<typeof modelSchema>>;
export const modelFields = modelSchema.keyof().options;

/** The fields of `configure` that are searched over. */
export const configuredSchema = z.strictObject({
  instances: positive,
  maxBatchSize: z.int().min(0),
  batching: z.enum(['disabled', 'static', 'dynamic']),
  preferredBatchSizes: z.array(positive),
  maxQueueDelayUs: z.int().min(0),
  threads: z.int().min(0),
});
export type Configured = Readonly<z.infer<typeof configuredSchema>>;

export const candidateSchema = z.strictObject({
  /** Absent in a search over one: that of the run. All three are there, or none. */
  ...modelSchema.partial().shape,
  ...configuredSchema.shape,
  /** Of each request; absent in a search over one: that of the load. */
  batchSize: positive.optional(),
});
export type Candidate = Readonly<z.infer<typeof candidateSchema>>;
export const candidateFields = candidateSchema.keyof().options;

const loadSchema = later(() =>
  z.discriminatedUnion('kind', [
    /**
     * Requests a second with Poisson arrivals, or at those of a trace that is sent faster or slower; answered or not: what may be
     * promised. With `rate` only that one.
     */
    z.strictObject({
      ...{ kind: z.literal('open'), batchSize: positive, rate: z.number().positive().optional() },
      replay: replaySchema.unwrap().required({ read: true }).optional(),
    }),
    /** Requests under way. */
    z.strictObject({ kind: z.literal('closed'), batchSize: positive, concurrency: z.array(positive).min(1) }),
  ]),
);

const targetSchema = z.strictObject({
  /** Which latency it is of. */
  percentile: z.int().min(50).max(99),
  /** null: the objective is the latency itself, and none is too long. */
  latencyUs: positive.nullable(),
  /** Largest share of failed requests. */
  errorPercentage: z.number().min(0).max(100),
});

/** What is best: the most load, the lowest latency at a rate, or the lowest price of an inference. */
const objectiveSchema = later(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('throughput') }),
    z.strictObject({ kind: z.literal('latency') }),
    /** The price is that of one replica with its GPUs per hour, as of a capacity. */
    z.strictObject({ kind: z.literal('cost'), pricePerHour: z.number().positive() }),
  ]),
);
export type SearchObjective = Readonly<z.infer<typeof objectiveSchema>>;
export const objectiveKinds = ['throughput', 'latency', 'cost'] as const;

/** Most memory that a candidate may take, bytes. */
export const memoryLimitsSchema = later(() =>
  z.strictObject({
    gpuBytes: positive.optional(),
    hostBytes: positive.optional(),
  }),
);
export type MemoryLimits = Readonly<z.infer<typeof memoryLimitsSchema>>;

/** A Triton that runs already. `metrics` is a `host:port`; absent: two ports above that of HTTP. */
export const serverSchema = later(() =>
  z.strictObject({
    url: z.string().min(1).max(2000),
    tls: tlsFilesSchema.optional(),
    metrics: z.string().max(300).optional(),
  }),
);

/** Serves the candidates beside its own models. */
export const runningSchema = later(() =>
  serverSchema
    .unwrap()
    .required({ metrics: true })
    .extend({
      /** In the name of all that the search loads there. */
      mark: z.string().regex(/^[a-z0-9]{6,16}$/),
    }),
);
export type SearchServer = Readonly<z.infer<typeof runningSchema>>;

/** Finds the configuration that takes the most load within a target. */
export const searchStrategySchema = later(() =>
  z.object({
    kind: z.literal('search'),
    /** The finished run whose model it is; null: the first trial makes it. */
    runId: z.string().regex(runIdPattern).nullable(),
    /** Of an ensemble: the model in it whose fields the candidates have. Absent: the model of the run. */
    part: modelNameSchema.optional(),
    /** The first is the run as it is. */
    candidates: z.array(candidateSchema).min(1).max(200),
    load: loadSchema,
    target: targetSchema,
    /** Absent: throughput. */
    objective: objectiveSchema.optional(),
    /** Absent: none, and no memory is measured. */
    memory: memoryLimitsSchema.optional(),
    /** Absent: the engine of the run starts one. */
    server: runningSchema.optional(),
    /** A host whose Docker Engine serves them; absent: as the run has it. */
    host: hostNameSchema.optional(),
    /** Seconds of load, the last comparison among them. */
    budgetS: z.number().positive(),
    /** Of a short measurement, and of one of the last comparison, milliseconds. */
    lookMs: positive,
    fullMs: positive,
  }),
);
export type SearchStrategy = Readonly<z.infer<typeof searchStrategySchema>>;

const list = <Schema extends z.ZodType>(of: Schema) => z.array(of).min(1).max(64);

/** Values to try, by field; a field that is left out is varied as the machine and the target suggest. */
export const searchSpaceSchema = later(() =>
  z
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
    .partial(),
);
export type SearchSpace = Readonly<z.infer<typeof searchSpaceSchema>>;

/** What a person asks a search for; what is left out is taken from the run and the machine. */
export const searchRequestSchema = later(() =>
  z.strictObject({
    /** A finished run. */
    runId: z.string().regex(runIdPattern).optional(),
    /** In place of a run: what is made first. */
    choice: choiceSchema.optional(),
    /** Of a run of an ensemble: the model in it whose configuration is searched. */
    part: modelNameSchema.optional(),
    /** Absent: by date and time. */
    name: z.string().optional(),
    space: searchSpaceSchema,
    load: z.enum(['open', 'closed']),
    batchSize: positive.optional(),
    concurrency: list(positive).optional(),
    percentile: targetSchema.shape.percentile.optional(),
    latencyUs: positive.optional(),
    objective: objectiveSchema.optional(),
    /** Of the objective `latency`: requests per second. */
    rate: z.number().positive().max(1e6).optional(),
    memory: memoryLimitsSchema.optional(),
    /** The open load in place of Poisson arrivals; its speed is that of the objective `latency`. */
    replay: replaySchema.optional(),
    /** Absent: the engine of the run starts one. */
    server: serverSchema.optional(),
    /** A host of the list: its Docker Engine serves them, and makes what is made first. */
    host: hostNameSchema.optional(),
    errorPercentage: targetSchema.shape.errorPercentage.optional(),
    budgetS: z.number().positive().optional(),
  }),
);
export type SearchRequest = Readonly<z.infer<typeof searchRequestSchema>>;

/** What is sent in a measurement: requests under way, or requests a second. */
const lookLoadSchema = later(() =>
  z.union([
    z.strictObject({ concurrency: positive }),
    z.strictObject({ requestRate: z.number().positive() }),
  ]),
);
export type LookLoad = Readonly<z.infer<typeof lookLoadSchema>>;

/**
 * `screen`: what it gives when it is never idle. `edge`: whether it holds a load. `race`: beside others that are as good.
 * `confirm`: the best and the present configuration, at full length. `turn`: of a comparison of two, one after the other.
 */
const phases = ['screen', 'edge', 'race', 'confirm', 'turn'] as const;
export type LookPhase = (typeof phases)[number];

const ownLookSchema = later(() =>
  z.object({
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
    /** Ended early, as requests in flight and latency rose without end. */
    overSaturated: z.literal(true).optional(),
    /** null: not known. */
    meanServerBatch: z.number().min(0).nullable(),
    serverQueueUs: z.number().min(0).nullable(),
    /** Whole latencies, from the schedule too where there is a rate, and the GPUs; absent: an earlier version made it. */
    measured: loadPointSchema
      .unwrap()
      .pick({
        ...{ avgUs: true, p50Us: true, p90Us: true, p95Us: true, p99Us: true },
        ...{ scheduled: true, gpus: true, executedBatches: true, replay: true },
      } as const)
      .optional(),
  }),
);
export const lookSchema = later(() =>
  ownLookSchema.unwrap().extend({
    /** Of several models: the others, which were under load at the same time. */
    beside: z.array(ownLookSchema).optional(),
  }),
);
/** One measurement of a candidate. */
export type Look = Readonly<z.infer<typeof lookSchema>>;

/** A candidate 0 is the first load on a server, with what its backend takes once. */
export const candidateMemorySchema = takenMemorySchema.extend({ candidate: z.int().min(0) });

/** Where candidates were served. */
export const servedPlaceSchema = later(() =>
  z.object({
    engine: z.enum(engines),
    /** Absent: this machine, or whatever the address says. */
    host: z.string().optional(),
    /** `host:port` of HTTP, as Triton's machine has it. */
    address: z.string(),
    tritonVersion: z.string(),
  }),
);
export type ServedPlace = Readonly<z.infer<typeof servedPlaceSchema>>;

export const candidateFailedSchema = z.object({ candidate: positive, error: wireErrorSchema });

/** What a journal has of a search. */
export interface Searched {
  readonly looks: readonly Look[];
  /** Candidates that cannot be measured, by number. */
  readonly failed: Readonly<Record<number, WireError>>;
  /** What a candidate takes beside the others, by number; absent: not measured. */
  readonly memory?: Readonly<Record<number, TakenMemory>>;
  /** Where it was served last; absent: not yet, or an earlier version did not say. */
  readonly place?: ServedPlace;
}
