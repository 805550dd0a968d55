import { z } from 'zod';
import { loadTools, protocols } from '../run/run-spec';
import { comparedBatchSchema } from './compared-batches';
import { composingModelSchema } from './composing';

const us = z.number().min(0);

const usOrNull = z.number().min(0).nullable();

/** Half widths of the 95 % intervals of the mean and of the percentiles below p99; null: too few requests or parts. */
const latencyIntervalsSchema = z.object({
  avgUs: usOrNull,
  p50Us: usOrNull,
  p90Us: usOrNull,
  p95Us: usOrNull,
});
type LatencyIntervals = z.infer<typeof latencyIntervalsSchema>;

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

/**
 * Why a level does not count as steady. `unstable`: the stability rule did not hold within the allowed windows;
 * `errors`: a larger share of the requests failed than permitted;
 * `wrong-responses`: a response that was checked is wrong; `not-finite`: outputs have NaN or infinities; `client-saturated`: the load generator itself was the limit;
 * `machine-busy`: other work on the load generator's machine held it up;
 * `drifting`: throughput or latency moved one way over the merged windows; `rate-not-reached`: fewer requests than asked for;
 * `clocks-throttled`: power, heat or the hardware held a GPU's clocks down; `gpu-idle`: Triton computed, and its GPUs did not.
 */
export const pointFlags = [
  'unstable',
  'errors',
  'wrong-responses',
  'not-finite',
  'client-saturated',
  'machine-busy',
  'server-restarted',
  'drifting',
  'rate-not-reached',
  'clocks-throttled',
  'gpu-idle',
] as const;

/** One measurement window of a level; microseconds; null what the tool did not give. */
export const windowSchema = z.object({
  durationUs: us.nullable(),
  requestCount: z.int().min(0).nullable(),
  errorCount: z.int().min(0),
  inferencesPerSecond: z.number().min(0),
  /** perf_analyzer tells the percentile alone where one was asked for. */
  avgUs: us,
  p50Us: us.nullable(),
  p99Us: us.nullable(),
  /** Of the percentile that decides whether windows agree; absent: the mean does. */
  percentileUs: us.optional(),
  /** From the first window's start to this one's; absent where the tool does not say. */
  startUs: us.optional(),
  /** p99 from the time at which each request was due; of request-rate levels. */
  scheduledP99Us: us.optional(),
});
export type MeasurementWindow = z.infer<typeof windowSchema>;

/** Latency from the time at which a request was due: what waited because the server was slow is in it. */
const scheduledSchema = z.object({
  avgUs: us,
  p50Us: us,
  p90Us: us,
  p95Us: us,
  p99Us: us,
  maxUs: us,
  /** Requests that went out more than a millisecond after they were due. */
  delayedCount: z.int().min(0),
});

/** Times by the same percentile rule as the latency's. */
const spreadSchema = z.object({ avgUs: us, p50Us: us, p90Us: us, p95Us: us, p99Us: us, maxUs: us });
export type Spread = z.infer<typeof spreadSchema>;

/** Requests over a stream (ModelStreamInfer), whose answers may be any number. A tool that does not tell a value leaves it null. */
const streamingSchema = z.object({
  /** The model's configuration says that a request may have any number of answers. */
  decoupled: z.boolean(),
  /** Answers with content; per request and per second. */
  responsesPerRequest: z.number().min(0).nullable(),
  responsesPerSecond: z.number().min(0),
  fewestResponses: z.int().min(0).nullable(),
  mostResponses: z.int().min(0).nullable(),
  /** From the send to the first answer with content; null also where no request had one. */
  firstResponse: spreadSchema.nullable(),
  /** Between two answers to the same request; null also where none had two. */
  interResponse: spreadSchema.nullable(),
  /** From the send to the final answer, which may only say that it is the last. */
  finalResponse: spreadSchema.nullable(),
});

/** Requests that the server's response cache answered and those that it could not, and its mean time for one of either. */
const responseCacheSchema = z.object({
  hitCount: z.int().min(0),
  missCount: z.int().min(0),
  /** null: there were none, or the tool does not say. */
  hitUs: us.nullable(),
  /** For the look-up and for keeping the answer, without the model's own time. */
  missUs: us.nullable(),
});
export type ResponseCache = z.infer<typeof responseCacheSchema>;

/** The load generator's own part in a level. */
const clientSchema = z.object({
  /** CPU time of the generator's process over its wall time; 1 is one core. null: measured for too short a time. */
  cpuShare: z.number().min(0).nullable(),
  /** Share of the time in which its event loop was busy, 0 to 1. */
  loopShare: z.number().min(0),
  /** Largest p99 of a window's event-loop delay. */
  loopDelayP99Us: us,
});

const kindsSchema = z.array(z.object({ kind: z.string(), count: z.int().min(1), message: z.string() }));
export type CountedKind = z.infer<typeof kindsSchema>[number];

/**
 * One measured level with the seeds' columns. Microseconds throughout; `inferencesPerSecond` counts batch items.
 * A value that the tool did not give is null: missing is shown as missing.
 */
export const loadPointSchema = z.object({
  batchSize: z.int().min(1),
  /** Requests under way; of request-rate levels the most that may be. */
  concurrency: z.int().min(1),
  /** Requests a second that were asked for; absent: a concurrency level. */
  requestRate: z.number().positive().optional(),
  requestDistribution: z.enum(['constant', 'poisson', 'custom']).optional(),
  /** Of `poisson`; absent where the tool does not say. */
  requestSeed: z.int().min(0).optional(),
  inferencesPerSecond: z.number().min(0),
  clientSendUs: us.nullable(),
  /** The rest of the mean latency; of an ensemble below zero where the parts of its steps are more than that. */
  networkServerSendRecvUs: z.number().nullable(),
  serverQueueUs: us.nullable(),
  serverComputeInputUs: us.nullable(),
  serverComputeInferUs: us.nullable(),
  serverComputeOutputUs: us.nullable(),
  clientRecvUs: us.nullable(),
  p50Us: us,
  p90Us: us,
  p95Us: us,
  p99Us: us,
  /** The latency that was asked for by a percentile; of request-rate levels also from the time at which a request was due. */
  percentile: z
    .object({ percent: z.int().min(1).max(99), latencyUs: us, scheduledUs: us.optional() })
    .optional(),
  /** Measured mean latency, not the sum of the components. */
  avgUs: us.nullable(),
  /** Successful requests in the merged windows; null where the tool does not say. */
  requestCount: z.int().min(0).nullable(),
  errorCount: z.int().min(0),
  stable: z.boolean(),
  flags: z.array(z.enum(pointFlags)),
  loadTool: z.enum(loadTools),
  /** Release of an installed load tool; absent where it does not say, and of the built-in load generator, which is the workbench's. */
  loadToolVersion: z.string().max(64).optional(),
  /** null: of an imported file, which does not say it. */
  protocol: z.enum(protocols).nullable(),
  /** Items per executed batch inside the server: inference count / execution count; null if unknown. */
  meanServerBatch: z.number().min(0).nullable(),
  /** Executions of the model by batch, with their mean time (compute input, infer and output); absent where it is not known. */
  executedBatches: z
    .array(z.object({ batchSize: z.int().min(1), count: z.int().min(1), computeUs: us }))
    .optional(),
  /** Half width of the 95 % interval of throughput and p99: where a long measurement lies, slow changes in it; null if unknown. */
  throughputIntervalIps: z.number().min(0).nullable(),
  p99IntervalUs: us.nullable().optional(),
  /** The same of the other latencies; absent where nothing is said of any. */
  latencyIntervals: latencyIntervalsSchema.optional(),
  /** Largest relative error of the percentiles that the memory-bounded histogram makes; 0.001 is 0.1 %. */
  percentileError: z.number().min(0).optional(),
  /** Only of request-rate levels. */
  scheduled: scheduledSchema.optional(),
  client: clientSchema.optional(),
  /** CPU time of the load generator's process for each answered request; absent where it could not be seen or was too short. */
  clientCpuUsPerRequest: us.optional(),
  /** Of the server's response cache; absent where it counted neither a hit nor a miss. */
  cache: responseCacheSchema.optional(),
  /** Of ensembles: the models they are made of, in the order of the steps. */
  composing: z.array(composingModelSchema).optional(),
  /** Their models that took longest one after the other: the server's parts are of them. Empty, or absent: sums over all steps. */
  ensemblePath: z.array(z.string()).optional(),
  /** Why the server's times are not known although it counts: sums beyond 64 bits, or that stay while counts rise. */
  serverTimesFault: z.enum(['out-of-range', 'constant']).optional(),
  /** Latencies of the merged windows from the send: counts between edges that grow by one factor; one edge more than counts. */
  histogram: z.object({ edgesUs: z.array(us), counts: z.array(z.int().min(0)) }).optional(),
  /** Failed requests of the merged windows by kind, with the server's words at the first of each. */
  errorsByKind: kindsSchema.optional(),
  /** Where the tensors went; absent: over the wire. */
  sharedMemory: z
    .object({
      kind: z.enum(['system', 'cuda']),
      /** Outputs read back and compared with the same request over the wire. */
      checkedCount: z.int().min(0),
      wrongCount: z.int().min(0),
      /** Times that the regions were registered anew because someone else had unregistered them. */
      repairs: z.int().min(0),
    })
    .optional(),
  /** Responses that were decoded and held against what the model says of its outputs; the requests of wrong ones succeeded. */
  outputChecks: z
    .object({
      checkedCount: z.int().min(0),
      wrongCount: z.int().min(0),
      /** Of these with the values that the input data say they should have. */
      comparedCount: z.int().min(0),
      /** NaN and infinities counted as wrong. */
      finite: z.boolean(),
    })
    .optional(),
  /** What is wrong with responses, over the wire or in shared memory, by kind, with the words at the first of each. */
  wrongByKind: kindsSchema.optional(),
  /** NaN or infinities in the first responses, where nobody said that they are wrong; absent: none were found. */
  notFinite: z
    .object({ checkedCount: z.int().min(1), count: z.int().min(1), message: z.string() })
    .optional(),
  /** Of models that were measured at the same time: which one this is, and what ran beside it. */
  model: z.string().optional(),
  together: z
    .array(
      z.object({
        model: z.string(),
        batchSize: z.int().min(1),
        concurrency: z.int().min(1),
        requestRate: z.number().positive().optional(),
      }),
    )
    .optional(),
  /** Only of requests over a stream; the level's latency is that of the last answer with content. */
  streaming: streamingSchema.optional(),
  /** Only of stateful models: lengths as asked for, or of the input data's streams, and sequences ended a second (null where the tool does not say). */
  sequences: z
    .object({
      length: z.int().min(1),
      lengthVariation: z.number().min(0),
      /** Sequences at once. */
      concurrent: z.int().min(1),
      endedPerSecond: z.number().min(0).nullable(),
    })
    .optional(),
  /** Absent: in the clear. `verified` false: the server's certificate was not checked. */
  tls: z.object({ verified: z.boolean(), clientCertificate: z.boolean() }).optional(),
  /** Which of several measurements of the level this is: 1, 2, ...; absent where there is one. */
  repeat: z.int().min(1).optional(),
  /** Tries before this one that Triton did not live through; nothing of them is in the values. Absent: none. */
  restarts: z.int().min(1).optional(),
  /** Measured again, in windows so many times as long as was asked for at first; absent: not again. */
  longer: z.int().min(2).optional(),
  /** So many windows were measured in turns with those of other levels; absent: one right after the other. */
  turns: z.int().min(1).optional(),
  windows: z.array(windowSchema),
  /** Mean use of all cores of the server's machine, 0 to 1; absent where Triton's metrics do not tell it. */
  serverCpuShare: z.number().min(0).max(1).optional(),
  /** Of the server's machine while the level was measured, where the tool collects it; null what it did not give. */
  gpus: z
    .array(
      z.object({
        uuid: z.string(),
        /** 0 to 1. */
        utilization: z.number().min(0).nullable(),
        powerW: z.number().min(0).nullable(),
        maxMemoryBytes: z.number().min(0).nullable(),
        totalMemoryBytes: z.number().min(0).nullable(),
        /** Mean; absent where the tool does not collect it. */
        smClockMHz: z.number().min(0).nullable().optional(),
        /** Share of the readings in which something held the clocks down, 0 to 1, and what. */
        throttledShare: z.number().min(0).max(1).optional(),
        throttledBy: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  /** Wall time spent on the level, warm-up included; null: of an imported file, which does not say it. */
  elapsedUs: us.nullable(),
});

type PointValues = z.infer<typeof loadPointSchema>;
/** How the measurements of a level lie together, where one point stands for several. Never in the journal. */
export interface Repeats {
  readonly count: number;
  /** Measurements that gave nothing. */
  readonly failed: number;
  /** Smallest and largest of each column. */
  readonly ranges: Readonly<
    Partial<Record<keyof PointValues, { readonly min: number; readonly max: number }>>
  >;
  /** The same of the latencies from the schedule, where all measurements have them. */
  readonly scheduledRanges?: Readonly<
    Record<ScheduledLatency, { readonly min: number; readonly max: number }>
  >;
  /** The measurement whose throughput is nearest the median, from 1: what has no median of its own is of this one. */
  readonly middle: number;
}
/** Columns of the latency from the time at which a request was due. */
type ScheduledLatency = Exclude<keyof NonNullable<PointValues['scheduled']>, 'delayedCount'>;
export type LoadPoint = PointValues & { readonly repeats?: Repeats };

/** Compared outputs of framework and Triton, one entry an output tensor. */
export const outputComparisonSchema = z.object({
  output: z.string(),
  atol: z.number().min(0),
  rtol: z.number().min(0),
  /** Share of the values outside the tolerances, allowed and found; absent in older runs. */
  maxMismatch: z.number().min(0).optional(),
  mismatchShare: z.number().min(0).nullish(),
  /** Over finite pairs; null when there is no finite pair. */
  maxAbsDiff: z.number().min(0).nullable(),
  maxRelDiff: z.number().min(0).nullable(),
  /**
   * Largest |difference| / (atol + rtol * |reference|): 1 is the tolerance itself. null: a value differs where nothing
   * may, or there is no finite pair; absent in older runs.
   */
  allowanceShare: z.number().min(0).nullish(),
  nanCount: z.int().min(0),
  infCount: z.int().min(0),
  /** Id of the sample with the largest absolute difference. */
  worstSample: z.string().nullable(),
  sampleCount: z.int().min(0),
  /** Samples that are longer or shorter on Triton and were not compared; absent where all have one shape. */
  otherLengths: z.int().min(0).optional(),
  /** Without a value in any sample, in the framework and on Triton alike: it agrees, and shows nothing. */
  empty: z.boolean().optional(),
  passed: z.boolean(),
  /** The tolerance is so wide that no realistic output could fail it. */
  vacuous: z.boolean(),
});
export type OutputComparison = z.infer<typeof outputComparisonSchema>;

export const accuracyResultSchema = z.object({
  outputs: z.array(outputComparisonSchema),
  metrics: z.array(
    z.object({
      name: z.string(),
      framework: z.number().nullable(),
      triton: z.number().nullable(),
      threshold: z.number().nullable(),
      /** Which way the threshold bounds: absent = higher is better, it is the lowest allowed value. */
      better: z.enum(['higher', 'lower']).optional(),
      passed: z.boolean(),
    }),
  ),
  sampleCount: z.int().min(0),
  /** Requests of each batch size that were compared beside all samples; absent in older runs. */
  batches: z.array(comparedBatchSchema).optional(),
  /** Where the framework computed: "cpu", or the name of a GPU; absent: the CPU of an earlier version. */
  referenceDevice: z.string().optional(),
  passed: z.boolean(),
  /** Why the gate did not pass, one sentence each; empty when it passed. */
  reasons: z.array(z.string()),
  warnings: z.array(z.string()),
});
export type AccuracyResult = z.infer<typeof accuracyResultSchema>;

/** An image that a run's containers were made from. */
const usedImageSchema = z.object({
  role: z.enum(['triton', 'client']),
  reference: z.string(),
  /** Digest of the image's configuration, "sha256:…": names the content, built or pulled. */
  id: z.string(),
  /** "name@sha256:…" as the registry knows it; null for an image built here. */
  digest: z.string().nullable(),
  /** What the reference meant when this home last used it, where that was another image: digest, or id where it had none. */
  movedFrom: z.string().optional(),
});
export type UsedImage = z.infer<typeof usedImageSchema>;

/** Hardware and software a result was obtained on. */
export const environmentSchema = z.object({
  workbenchVersion: z.string(),
  engine: z.string(),
  /** For example "Triton Inference Server 2.51.0 (PyPI wheel, CPU)"; null before deploy. */
  tritonVersion: z.string().nullable(),
  /** Image with digest, or null where no container is involved. */
  image: z.string().nullable(),
  /** Every image of the run; empty where no container is involved. */
  images: z.array(usedImageSchema).default([]),
  os: z.string(),
  cpu: z.string(),
  cpuCount: z.int(),
  memoryBytes: z.int(),
  gpus: z.array(z.object({ name: z.string(), uuid: z.string(), memoryBytes: z.int(), driver: z.string() })),
  /** Package name to version: torch, onnx, onnxruntime, ... */
  packages: z.record(z.string(), z.string()),
});
export type Environment = z.infer<typeof environmentSchema>;
