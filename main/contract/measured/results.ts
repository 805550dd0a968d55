import { z } from 'zod';
import { later } from '../later';
import { httpCompressions, httpVersions, loadTools, protocols } from '../run/run-spec';
import { comparedBatchSchema } from './compared-batches';
import { composingModelSchema } from './composing';
import { generatedSchema } from './generated';
import { replayedSchema } from './replayed';
import { scheduledSchema, streamingSchema } from './sent/streaming';
import { latencyPartsSchema, waySchema } from './sent/way';
import { shapedSchema } from './timeline';

const us = z.number().min(0);

const usOrNull = z.number().min(0).nullable();

/** Half-widths of the 95 % intervals of the mean and the percentiles below p99; null: too few requests. */
const latencyIntervalsSchema = z.object({
  avgUs: usOrNull,
  p50Us: usOrNull,
  p90Us: usOrNull,
  p95Us: usOrNull,
});
type LatencyIntervals = z.infer<typeof latencyIntervalsSchema>;

export const latencyNames = ['p50Us', 'p90Us', 'p95Us', 'p99Us', 'avgUs'] as const;
export type LatencyName = (typeof latencyNames)[number];

interface StatedIntervals {
  readonly p99IntervalUs?: number | null | undefined;
  readonly latencyIntervals?: LatencyIntervals | undefined;
}

/** Half-width of the 95 % interval in microseconds; null where it is not known. */
export const latencyIntervalUs = (
  { p99IntervalUs, latencyIntervals }: StatedIntervals,
  name: LatencyName,
): number | null => (name === 'p99Us' ? p99IntervalUs : latencyIntervals?.[name]) ?? null;

/**
 * Why a level does not count as steady. `unstable`: the stability rule did not hold within the allowed windows;
 * `errors`: more requests failed than permitted; `wrong-responses`: a checked response is wrong; `not-finite`: outputs
 * have NaN or infinities; `client-saturated`: the load generator was the limit; `machine-busy`: other work on its machine
 * held it up; `drifting`: throughput or latency moved one way over the merged windows; `rate-not-reached`: fewer requests
 * than asked for; `clocks-throttled`: power, heat or the hardware reduced a GPU's clocks; `gpu-idle`: Triton computed,
 * its GPUs did not; `refused`: more requests were refused than may fail; `over-saturated`: requests in flight and latency
 * rose without end, and the level ended early.
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
  'refused',
  'over-saturated',
] as const;

/** One measurement window of a level, in microseconds; null: not reported. */
export const windowSchema = later(() =>
  z.object({
    durationUs: us.nullable(),
    requestCount: z.int().min(0).nullable(),
    errorCount: z.int().min(0),
    /** Refused and cancelled requests, which are no errors; absent: none. */
    refusedCount: z.int().min(1).optional(),
    inferencesPerSecond: z.number().min(0),
    /** perf_analyzer reports only the percentile where one was asked for. */
    avgUs: us,
    p50Us: us.nullable(),
    p99Us: us.nullable(),
    /** The percentile by which windows are compared; absent: the mean. */
    percentileUs: us.optional(),
    /** From the start of the first window; absent: not reported. */
    startUs: us.optional(),
    /** p99 from the time each request was due, of request-rate levels. */
    scheduledP99Us: us.optional(),
    /** Absent: not asked for. */
    parts: latencyPartsSchema.optional(),
  }),
);
export type MeasurementWindow = z.infer<typeof windowSchema>;

/** Hits and misses of the server's response cache, and the mean time of one. */
const responseCacheSchema = later(() =>
  z.object({
    hitCount: z.int().min(0),
    missCount: z.int().min(0),
    /** null: none, or not reported. */
    hitUs: us.nullable(),
    /** Look-up and storing, without the model's own time. */
    missUs: us.nullable(),
  }),
);
export type ResponseCache = z.infer<typeof responseCacheSchema>;

const clientSchema = z.object({
  /** CPU time of the process over wall time; 1 is one core. null: measured for too short a time. */
  cpuShare: z.number().min(0).nullable(),
  /** Share of time in which the event loop was busy, 0 to 1. */
  loopShare: z.number().min(0),
  /** Largest p99 of a window's event-loop delay. */
  loopDelayP99Us: us,
});

const kindsSchema = z.array(z.object({ kind: z.string(), count: z.int().min(1), message: z.string() }));
export type CountedKind = z.infer<typeof kindsSchema>[number];

/** One measured level with the published columns. Microseconds; `inferencesPerSecond` counts batch items; null: not reported. */
export const loadPointSchema = later(() =>
  z.object({
    batchSize: z.int().min(1),
    /** Requests in flight; of request-rate levels the maximum. */
    concurrency: z.int().min(1),
    /** Requested requests per second; absent: a concurrency level. */
    requestRate: z.number().positive().optional(),
    requestDistribution: z.enum(['constant', 'poisson', 'gamma', 'custom', 'replay']).optional(),
    /** Of `poisson` and `gamma`; absent: not reported. */
    requestSeed: z.int().min(0).optional(),
    ...shapedSchema.shape,
    /** Of a replayed trace, as it was sent; `requestRate` is its mean. */
    replay: replayedSchema.optional(),
    inferencesPerSecond: z.number().min(0),
    clientSendUs: us.nullable(),
    /** Rest of the mean latency; below zero for an ensemble whose steps overlap. */
    networkServerSendRecvUs: z.number().nullable(),
    serverQueueUs: us.nullable(),
    serverComputeInputUs: us.nullable(),
    serverComputeInferUs: us.nullable(),
    serverComputeOutputUs: us.nullable(),
    clientRecvUs: us.nullable(),
    p50Us: us.nullable(),
    p90Us: us.nullable(),
    p95Us: us.nullable(),
    p99Us: us,
    /** The requested percentile; of request-rate levels also from the time a request was due. */
    percentile: z
      .object({ percent: z.int().min(1).max(99), latencyUs: us, scheduledUs: us.optional() })
      .optional(),
    /** Measured mean latency, not the sum of the components. */
    avgUs: us.nullable(),
    /** Successful requests in the merged windows; null: not reported. */
    requestCount: z.int().min(0).nullable(),
    errorCount: z.int().min(0),
    stable: z.boolean(),
    flags: z.array(z.enum(pointFlags)),
    loadTool: z.enum(loadTools),
    /** Absent: not reported, or the built-in load generator, whose version is the workbench's. */
    loadToolVersion: z.string().max(64).optional(),
    /** null: imported from a file without it. */
    protocol: z.enum(protocols).nullable(),
    /** Inference count / execution count in the server; null if unknown. */
    meanServerBatch: z.number().min(0).nullable(),
    /** Executions by batch size with their mean time (compute input, infer, output); absent if unknown. */
    executedBatches: z
      .array(z.object({ batchSize: z.int().min(1), count: z.int().min(1), computeUs: us }))
      .optional(),
    /** Half-width of the 95 % interval of throughput and p99, slow changes included; null if unknown. */
    throughputIntervalIps: z.number().min(0).nullable(),
    p99IntervalUs: us.nullable().optional(),
    /** Of the other latencies; absent where none is known. */
    latencyIntervals: latencyIntervalsSchema.optional(),
    /** Largest relative error of the percentiles from the memory-bounded histogram; 0.001 is 0.1 %. */
    percentileError: z.number().min(0).optional(),
    scheduled: scheduledSchema.optional(),
    client: clientSchema.optional(),
    /** CPU time of the load generator per answered request; absent where it is not known or was too short. */
    clientCpuUsPerRequest: us.optional(),
    /** Absent without hits and misses. */
    cache: responseCacheSchema.optional(),
    composing: z.array(composingModelSchema).optional(),
    /** Models on the ensemble's longest path, which the server times cover. Empty or absent: sums over all steps. */
    ensemblePath: z.array(z.string()).optional(),
    /** Why the server times are unusable: sums beyond 64 bits, or constant while counts rise. */
    serverTimesFault: z.enum(['out-of-range', 'constant']).optional(),
    /** Latencies of the merged windows from the send: counts between geometric edges; one edge more than counts. */
    histogram: z.object({ edgesUs: z.array(us), counts: z.array(z.int().min(0)) }).optional(),
    /** Failed requests of the merged windows by kind, each with the server's first message. */
    errorsByKind: kindsSchema.optional(),
    /** Where tensors were passed; absent: over the wire. */
    sharedMemory: z
      .object({
        kind: z.enum(['system', 'cuda']),
        /** Outputs read back and compared with the same request over the wire. */
        checkedCount: z.int().min(0),
        wrongCount: z.int().min(0),
        /** Times that the regions were registered again after somebody else unregistered them. */
        repairs: z.int().min(0),
      })
      .optional(),
    /** Responses decoded and checked against the model's outputs; requests of wrong ones count as successful. */
    outputChecks: z
      .object({
        checkedCount: z.int().min(0),
        wrongCount: z.int().min(0),
        /** Of these, compared with the expected values of the input data. */
        comparedCount: z.int().min(0),
        /** NaN and infinities count as wrong. */
        finite: z.boolean(),
      })
      .optional(),
    /** Share of padding in the tokens of requests of several samples, which the client pads to the longest; absent: none. */
    paddingShare: z.number().min(0).max(1).optional(),
    /** Wrong responses by kind, each with its first message. */
    wrongByKind: kindsSchema.optional(),
    /** NaN or infinities in the first responses, where they do not count as wrong; absent: none found. */
    notFinite: z
      .object({ checkedCount: z.int().min(1), count: z.int().min(1), message: z.string() })
      .optional(),
    /** Name among models measured at the same time, and the load of the others. */
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
    /** Of requests over a stream; the level's latency is that of the last answer with content. */
    streaming: streamingSchema.optional(),
    /** Tokens of a language model, in place of `streaming`; the level's latency is that of the last answer with content. */
    generation: generatedSchema.optional(),
    /** Of stateful models: lengths as configured or of the input data's streams; sequences ended per second (null: not reported). */
    sequences: z
      .object({
        length: z.int().min(1),
        lengthVariation: z.number().min(0),
        concurrent: z.int().min(1),
        endedPerSecond: z.number().min(0).nullable(),
      })
      .optional(),
    /** Absent: no TLS. `verified` false: the server's certificate was not checked. */
    tls: z.object({ verified: z.boolean(), clientCertificate: z.boolean() }).optional(),
    /** Of HTTP; absent in older runs, and of other protocols. */
    httpVersion: z.enum(httpVersions).optional(),
    /** Of requests and responses; absent: none. */
    compression: z.enum(httpCompressions).optional(),
    /** Tensors went as JSON, because the server lacks the binary extension; absent: in raw form. */
    jsonTensors: z.literal(true).optional(),
    /** The same load through a gateway, in turns with the level. */
    way: waySchema.optional(),
    /** Number of the measurement, from 1; absent: the only one. */
    repeat: z.int().min(1).optional(),
    /** Earlier tries during which Triton died, which the values leave out; absent: none. */
    restarts: z.int().min(1).optional(),
    /** Factor by which the windows of a repeated measurement are longer; absent: not repeated. */
    longer: z.int().min(2).optional(),
    /** Windows measured in turns with other levels; absent: one after the other. */
    turns: z.int().min(1).optional(),
    windows: z.array(windowSchema),
    /** Mean use of all cores of the server's machine, 0 to 1; absent: not in Triton's metrics. */
    serverCpuShare: z.number().min(0).max(1).optional(),
    /** GPUs of the server's machine during the level, where the tool reads them; null: not reported. */
    gpus: z
      .array(
        z.object({
          uuid: z.string(),
          utilization: z.number().min(0).nullable(),
          powerW: z.number().min(0).nullable(),
          maxMemoryBytes: z.number().min(0).nullable(),
          totalMemoryBytes: z.number().min(0).nullable(),
          /** Mean; absent where the tool does not read it. */
          smClockMHz: z.number().min(0).nullable().optional(),
          /** Share of readings with reduced clocks, 0 to 1, and the reasons. */
          throttledShare: z.number().min(0).max(1).optional(),
          throttledBy: z.array(z.string()).optional(),
        }),
      )
      .optional(),
    /** Wall time with warm-up; null: imported from a file without it. */
    elapsedUs: us.nullable(),
  }),
);

type PointValues = z.infer<typeof loadPointSchema>;
export interface Repeats {
  readonly count: number;
  readonly failed: number;
  readonly ranges: Readonly<
    Partial<Record<keyof PointValues, { readonly min: number; readonly max: number }>>
  >;
  /** Of latencies from the schedule, where all measurements have them. */
  readonly scheduledRanges?: Readonly<
    Record<ScheduledLatency, { readonly min: number; readonly max: number }>
  >;
  /** Number of the measurement with the median throughput, from 1; values without a median come from it. */
  readonly middle: number;
}
type ScheduledLatency = Exclude<keyof NonNullable<PointValues['scheduled']>, 'delayedCount'>;
export type LoadPoint = PointValues & { readonly repeats?: Repeats };

export const outputComparisonSchema = later(() =>
  z.object({
    output: z.string(),
    atol: z.number().min(0),
    rtol: z.number().min(0),
    /** Permitted and found share of values outside the tolerances; absent in older runs. */
    maxMismatch: z.number().min(0).optional(),
    mismatchShare: z.number().min(0).nullish(),
    /** Over finite pairs; null without one. */
    maxAbsDiff: z.number().min(0).nullable(),
    maxRelDiff: z.number().min(0).nullable(),
    /**
     * Largest |difference| / (atol + rtol * |reference|): 1 is the tolerance itself. null: a difference without any
     * tolerance, or no finite pair; absent in older runs.
     */
    allowanceShare: z.number().min(0).nullish(),
    nanCount: z.int().min(0),
    infCount: z.int().min(0),
    worstSample: z.string().nullable(),
    sampleCount: z.int().min(0),
    /** Samples of another length on Triton, which were not compared; absent: none. */
    otherLengths: z.int().min(0).optional(),
    /** Without values in every sample on both sides: agrees, and proves nothing. */
    empty: z.boolean().optional(),
    /** How it was compared with a golden file, where not by the tolerances only. */
    rule: z.string().optional(),
    passed: z.boolean(),
    /** The tolerance is too wide for any realistic output to fail. */
    vacuous: z.boolean(),
  }),
);
export type OutputComparison = z.infer<typeof outputComparisonSchema>;

export const accuracyResultSchema = later(() =>
  z.object({
    outputs: z.array(outputComparisonSchema),
    metrics: z.array(
      z.object({
        name: z.string(),
        framework: z.number().nullable(),
        triton: z.number().nullable(),
        threshold: z.number().nullable(),
        /** Absent: higher is better, and the threshold is the lowest allowed value. */
        better: z.enum(['higher', 'lower']).optional(),
        passed: z.boolean(),
      }),
    ),
    sampleCount: z.int().min(0),
    /** Compared requests by batch size; absent in older runs. */
    batches: z.array(comparedBatchSchema).optional(),
    /** "cpu" or the name of a GPU; absent: the CPU of an earlier version. */
    referenceDevice: z.string().optional(),
    /** The golden file that was the reference; absent: the framework was. */
    golden: z.string().optional(),
    /** Outputs of the model without a reference in the golden file. */
    notChecked: z.array(z.string()).optional(),
    passed: z.boolean(),
    /** One sentence each; empty when it passed. */
    reasons: z.array(z.string()),
    warnings: z.array(z.string()),
  }),
);
export type AccuracyResult = z.infer<typeof accuracyResultSchema>;

const usedImageSchema = z.object({
  role: z.enum(['triton', 'client']),
  reference: z.string(),
  /** Digest of the image's configuration, "sha256:…". */
  id: z.string(),
  /** "name@sha256:…" of the registry; null for an image built here. */
  digest: z.string().nullable(),
  /** Earlier image of the same reference in this home, where it changed: digest, or id where it had none. */
  movedFrom: z.string().optional(),
});
export type UsedImage = z.infer<typeof usedImageSchema>;

export const environmentSchema = later(() =>
  z.object({
    workbenchVersion: z.string(),
    engine: z.string(),
    /** "Triton Inference Server 2.51.0 (PyPI wheel, CPU)"; null before deploy. */
    tritonVersion: z.string().nullable(),
    /** A server that is not Triton, as it calls itself, with its version: "mlserver 1.7.1"; absent: Triton. */
    server: z.string().max(200).optional(),
    /** Image with digest; null without containers. */
    image: z.string().nullable(),
    /** Every image of the run; empty without containers. */
    images: z.array(usedImageSchema).default([]),
    os: z.string(),
    cpu: z.string(),
    cpuCount: z.int(),
    memoryBytes: z.int(),
    gpus: z.array(z.object({ name: z.string(), uuid: z.string(), memoryBytes: z.int(), driver: z.string() })),
    /** Version by package name: torch, onnx, onnxruntime, ... */
    packages: z.record(z.string(), z.string()),
  }),
);
export type Environment = z.infer<typeof environmentSchema>;
