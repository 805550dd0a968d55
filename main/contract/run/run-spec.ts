import { z } from 'zod';
import { tlsFilesSchema, withScheme } from '../address';
import { imageReferenceSchema } from '../docker';
import { hostNameSchema } from '../host/host-name';
import { jobEngines, jobEngineSchemas } from '../job/job-engines';
import { later } from '../later';
import { generationSchema } from '../load/generation';
import { lengthsSchema } from '../load/length-distribution';
import { remoteLimitsSchema } from '../load/remote-limits';
import { replaySchema } from '../load/replay';
import { stagesSchema } from '../load/stages';
import { modelNameSchema, repositorySchema } from '../served-repository';
import { treeModelSchema } from '../tree-model';
import { huggingFaceSchema } from './hugging-face';
import { formats } from './model-formats';
import { publishedGpus } from './published-gpus';
import '../issue-text';

export { modelNameSchema, type ServedRepository } from '../served-repository';
export { exportFormats, type Format, formats } from './model-formats';
export { type PublishedGpu, publishedGpuOf, publishedGpus } from './published-gpus';

const positive = z.int().min(1);

export const sequenceSchema = later(() =>
  z.strictObject({
    length: positive.default(20),
    /** Percentage by which lengths vary. */
    lengthVariation: z.number().min(0).max(100).default(20),
    /** Of request-rate levels; concurrency levels have one per concurrent request. */
    concurrent: positive.default(4),
    /** First to below end, then starting over; unbounded without an end. */
    firstId: positive.default(1),
    endId: positive.optional(),
  }),
);
export type SequenceSettings = z.infer<typeof sequenceSchema>;

/** Of a preset's model.py: PyTorch, or TensorFlow with Keras. */
export const frameworks = ['pyt', 'tf'] as const;
export const exportPrecisions = ['fp32', 'fp16'] as const;
/** `as-is`: of a repository, whose files decide. */
export const precisions = [...exportPrecisions, 'as-is'] as const;
export const engines = ['local', 'docker', 'remote', ...jobEngines] as const;
export const accelerators = ['none', 'cuda', 'trt', 'amp'] as const;
export const profiles = ['quick', 'full'] as const;
export const loadTools = ['native', 'perf_analyzer'] as const;
export const protocols = ['grpc', 'http'] as const;
export const httpVersions = ['1.1', '2'] as const;
export const httpCompressions = ['gzip', 'deflate'] as const;
const batchingModes = ['disabled', 'static', 'dynamic'] as const;
const requestDistributions = ['constant', 'poisson', 'gamma'] as const;
/** Equal seeds give equal send times. */
export const defaultRequestSeed = 20_210_721;
export const defaultErrorPercentage = 1;
const searches = ['none', 'linear', 'binary'] as const;
export const sharedMemories = ['none', 'system', 'cuda'] as const;
const measurementModes = ['time_windows', 'count_windows'] as const;
export const inputDataModes = ['random', 'zero', 'dataset', 'file'] as const;
/** Checks of sampled responses: none; names, types and shapes; or also finite values. */
const outputCheckKinds = ['none', 'form', 'finite'] as const;

/** More would only make the trace larger. */
export const mostTracedRequests = 10_000;

/** Longer timers fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

const port = z.int().min(1).max(65535);
const tolerance = z.record(z.string(), z.number().min(0));

/** `repository`: a model of a Triton repository, served as it is; `huggingface`: config.json with safetensors; `trees`: XGBoost, LightGBM, skops. */
export const sourceKinds = [
  'folder',
  'onnx',
  'torchscript',
  'savedmodel',
  'repository',
  'huggingface',
  'trees',
] as const;

/** Relative, without upward steps and NUL. */
export const innerPathSchema = z
  .string()
  .max(4096)
  .refine(
    (path) =>
      !/[\0\\]/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..'),
    'a path below the folder of the model, without ".." and not from "/" on',
  );

const sourceTensor = later(() =>
  z.strictObject({
    name: z.string().min(1),
    datatype: z.string(),
    /** As the file has it; -1 where a dimension varies. */
    shape: z.array(z.int()),
  }),
);

/** The user's own model with its tensors, read without executing it. */
export const sourceSchema = later(() =>
  z.strictObject({
    kind: z.enum(sourceKinds),
    /** Absolute: a file, or the folder with model.py, saved_model.pb, config.json or, of a repository, config.pbtxt. */
    path: z.string(),
    title: z.string(),
    /** Empty for a folder, whose preset.yaml has them. */
    inputs: z.array(
      sourceTensor.unwrap().extend({
        sample: z.array(z.int().min(0)),
        /** Rows of the smallest weight that it chooses from: its values are below. */
        tableRows: z.int().min(1).optional(),
      }),
    ),
    outputs: z.array(sourceTensor),
    /** The first axis of every tensor is the batch. */
    batched: z.boolean(),
    opset: z.int().optional(),
    /** Weight files beside an ONNX file, relative to its folder. */
    externalFiles: z.array(innerPathSchema).max(10_000).default([]),
    /** Only of kind `repository`, whose path is the folder of the model. */
    repository: repositorySchema.optional(),
    /** Only of kind `huggingface`. */
    huggingFace: huggingFaceSchema.optional(),
    /** Only of kind `trees`. */
    trees: treeModelSchema.optional(),
  }),
);

/** Arguments of a model's own code, passed as text: 64 and "64" are the same run. */
export const argumentsSchema = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()]).transform(String),
);

const modelSchema = later(() =>
  z.strictObject({
    /** Folder name under `resources/models`; of an own model derived from its file. */
    preset: modelNameSchema,
    source: sourceSchema.optional(),
    /** Generated sample shapes by input, in place of those in `source`. */
    shapes: z.record(z.string(), z.array(z.int().min(0))).optional(),
    profile: z.enum(profiles),
    /** User's weights; absent: the preset trains (quick) or initializes (full) its own. */
    checkpoint: z.string().optional(),
    /** Data set in the preset's format; absent: generated. */
    dataset: z.string().optional(),
    /** Arguments of the preset's model.py and dataloader.py, by their names. */
    args: argumentsSchema,
  }),
);

const queueTimeoutActions = ['reject', 'delay'] as const;
const warmups = ['none', 'zero', 'random', 'samples'] as const;

const configureSchema = later(() =>
  z.strictObject({
    modelName: modelNameSchema,
    modelVersion: positive,
    maxBatchSize: z.int().min(0),
    batching: z.enum(batchingModes),
    preferredBatchSizes: z.array(positive),
    maxQueueDelayUs: z.int().min(0),
    /** Requests that may wait for a dynamic batcher; further ones are refused. 0 or absent: any number. */
    maxQueueSize: z.int().min(0).optional(),
    /** Microseconds that a request may wait; 0 or absent: for ever. */
    queueTimeoutUs: z.int().min(0).optional(),
    /** Of a request that waited longer; absent: refused. */
    queueTimeoutAction: z.enum(queueTimeoutActions).optional(),
    /** A request may state a shorter time of its own. */
    allowTimeoutOverride: z.boolean().optional(),
    instances: positive,
    instanceKind: z.enum(['KIND_AUTO', 'KIND_CPU', 'KIND_GPU']),
    backendAccelerator: z.enum(accelerators),
    captureCudaGraph: z.boolean(),
    /** Runtime threads per model instance on CPU; 0: the runtime's choice. */
    threads: z.int().min(0),
    /** Requests that Triton sends to the model before it is ready; absent: none. */
    warmup: z.enum(warmups).optional(),
    /** Absent: 1, its doubles up to the maximum, and the preferred ones. */
    warmupBatchSizes: z.array(positive).min(1).max(64).optional(),
    /** Edits of config.pbtxt without a field here: a JSON merge patch (RFC 7396) over the generated ModelConfig's JSON form. */
    configPatch: z.record(z.string(), z.unknown()).default({}),
  }),
);

const accuracySchema = later(() =>
  z.strictObject({
    /** Golden file whose outputs are the reference of a model file; absent: its framework's. */
    golden: z.string().min(1).optional(),
    /** First samples of the data set that are compared; absent: all. */
    samples: positive.optional(),
    /** By output name; `*` for all others. */
    atol: tolerance,
    rtol: tolerance,
    /** Permitted share of an output's values outside the tolerances, 0 to 1: class numbers differ entirely or not at all. */
    maxMismatch: z.record(z.string(), z.number().min(0).max(1)).optional(),
    /** Largest |framework - Triton| of each metric. */
    maxMetricDelta: z.number().min(0),
    /** Lowest allowed value by metric; highest where the preset says that lower is better. */
    thresholds: z.record(z.string(), z.number()),
    allowUnverified: z.boolean(),
  }),
);

const scenarioLoadSchema = later(() =>
  z
    .strictObject({
      loadTool: z.enum(loadTools),
      protocol: z.enum(protocols),
      sharedMemory: z.enum(sharedMemories),
      measurementRequestCount: positive,
    })
    .partial(),
);

export const performanceSchema = later(() =>
  z.strictObject({
    loadTool: z.enum(loadTools),
    protocol: z.enum(protocols),
    inputData: z.enum(inputDataModes),
    /** Of mode `file`: perf_analyzer's JSON, an npz file, or a folder with a raw file per input; absolute. */
    inputDataFile: z.string().optional(),
    /** Of texts: P50,P95,MAX; lengths with blanks between; or those of the data set. Absent: one length. */
    lengthDistribution: lengthsSchema.optional(),
    /** Offline scenario: one request at a time, one level per batch size. */
    batchSizes: z.array(positive).min(1, 'Give at least one batch size'),
    /** Online scenario: batch size per request, one level per concurrency. */
    onlineBatchSize: positive,
    concurrency: z.array(positive).min(1, 'Give at least one concurrency'),
    /** Requests per second, one online level each, in place of `concurrency`: sent when due. */
    requestRates: z.array(z.number().positive()).default([]),
    requestDistribution: z.enum(requestDistributions).default('constant'),
    /** Shape of `gamma`: 1 is Poisson, less comes in bursts; absent: 1. */
    burstiness: z.number().min(0.01).max(1000).optional(),
    /** Of `poisson` and `gamma`; perf_analyzer has its own seed. */
    requestSeed: z
      .int()
      .min(0)
      .max(2 ** 32 - 1)
      .default(defaultRequestSeed),
    /** Microseconds between requests, repeated: one online level in place of `requestRates`. */
    requestIntervalsUs: z.array(z.number().positive()).max(100_000).default([]),
    /** Requests at the times of a recorded trace: one online level in place of `requestRates`. */
    replay: replaySchema.optional(),
    /** Parts of each online level with rates of their own; the request rate is the promised one. */
    stages: stagesSchema.optional(),
    /** Time in which rate or concurrency rise to their value, before the warm-up; absent: at once. */
    rampUpMs: positive.max(longestTimerMs).optional(),
    /** Percentage of requests that the client cancels, and how long after their send. */
    requestCancellationRate: z.number().positive().max(100).optional(),
    requestCancellationDelayS: z.number().min(0).max(3600).optional(),
    /** Length of the time slices that results are also given by; absent: a fortieth of the stages, none without stages. */
    sliceDurationS: z.number().min(0.05).max(3600).optional(),
    /** All online levels, or those tried by a search for the last within `latencyThresholdMs`. */
    search: z.enum(searches).default('none'),
    /** Largest p99 of a search, or latency of a good request with stages or time slices, milliseconds; 0: none. */
    latencyThresholdMs: z.number().min(0).default(0),
    sharedMemory: z.enum(sharedMemories).default('none'),
    /** Of HTTP; absent: 1.1 in clear text, and over TLS what the server chooses. */
    httpVersion: z.enum(httpVersions).optional(),
    /** Of HTTP: requests are sent compressed, and such answers asked for; absent: neither. */
    httpCompression: z.enum(httpCompressions).optional(),
    /** Bytes per output of a request. */
    outputSharedMemoryBytes: positive.default(102_400),
    /** `form`: of randomly picked responses; the built-in load generator checks the length of each. */
    checkOutputs: z.enum(outputCheckKinds).default('form'),
    /** For stateful models: requests are sent in sequences. */
    sequences: sequenceSchema.optional(),
    /** Models that the served one calls by BLS, whose statistics are read too. */
    blsModels: z.array(z.string().min(1)).min(1).max(64).optional(),
    /** gRPC stream, for models with any number of answers per request. */
    streaming: z.boolean().optional(),
    /** Of language models: how they are asked, and what is measured of their tokens. */
    generation: generationSchema.optional(),
    measurementMode: z.enum(measurementModes),
    measurementIntervalMs: positive.max(longestTimerMs),
    measurementRequestCount: positive,
    /** Exact number of requests of a level, in one window; 0: windows until it is steady. */
    requestCount: z.int().min(0).default(0),
    /** Share of failed requests above which a level has errors and is not an answer. */
    errorPercentage: z.number().min(0).max(100).default(defaultErrorPercentage),
    stabilityPercentage: z.number().positive(),
    /** Percentile that decides stability and a search; 0: the mean, and p99 for a search. */
    percentile: z.int().min(0).max(99).default(0),
    maxTrials: z.int().min(3),
    warmupMs: z.int().min(0).max(longestTimerMs),
    /** Warm-up requests in place of `warmupMs`; 0: none. */
    warmupRequestCount: z.int().min(0).default(0),
    /** Measurements per level, in rounds: A B A B. A search measures once. */
    repeats: positive.max(100).default(1),
    /** Each level also with the other load tool, in turns. */
    crossCheck: z.boolean().default(false),
    /** Requests per level that are sent once more with Triton's tracing on, and never enter results; absent or 0: none. */
    traceRequests: z.int().min(0).max(mostTracedRequests).optional(),
    /** One window of each of several levels per round, instead of level after level. */
    inTurns: z.boolean().optional(),
    offline: scenarioLoadSchema.optional(),
    online: scenarioLoadSchema.optional(),
  }),
);

export const dockerEngineSchema = later(() =>
  z.strictObject({
    kind: z.literal('docker'),
    /** `cpu`: built from `resources/docker`; `ngc`: NVIDIA's. Absent: `ngc` with GPUs, else `cpu`. */
    images: z.enum(['cpu', 'ngc']).optional(),
    /** NGC release of all images, as "26.07". */
    release: z
      .string()
      .regex(/^\d\d\.\d\d$/, 'must be a release such as 26.07')
      .optional(),
    /** Overrides the image of `images` and `release`; use a digest to pin it. */
    tritonImage: imageReferenceSchema.optional(),
    clientImage: imageReferenceSchema.optional(),
    /** "idlest" or "all", resolved to UUIDs on creation; or UUIDs of GPUs and MIG devices; empty: none. */
    gpus: z.array(z.string().regex(/^[\w.:/-]+$/)).default([]),
    /** Host whose Docker Engine does the work; absent: that of the docker command. */
    host: hostNameSchema.optional(),
    shmSizeMiB: positive.default(1024),
    httpPort: port.optional(),
    grpcPort: port.optional(),
  }),
);

const engineSchema = later(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('local'),
      /** Absent: chosen by the engine. */
      httpPort: port.optional(),
      grpcPort: port.optional(),
      /** Folder of another Triton, or of the Python packages of its models; absent: those of the home. */
      environment: z.string().min(1).max(4096).optional(),
    }),
    dockerEngineSchema,
    z.strictObject({
      kind: z.literal('remote'),
      url: z
        .string()
        .transform(withScheme)
        .pipe(z.url({ error: 'must be an address such as http://host:8000' })),
      tls: tlsFilesSchema.optional(),
      /** Of load on another machine; local servers have none. */
      limits: remoteLimitsSchema.optional(),
    }),
    ...jobEngines.map((kind) => jobEngineSchemas[kind].engine),
  ]),
);

const longestDeadlineS = Math.floor(longestTimerMs / 1000);

/** The smallest of the published deployments. */
export const defaultWorkspaceBytes = 2 ** 30;

/** Everything that decides a run; written to `run.yaml` and hashed. Names carry units. */
export const runSpecSchema = z.strictObject({
  version: z.literal(1),
  model: modelSchema,
  format: z.enum(formats),
  precision: z.enum(precisions),
  onnxOpset: z.int().min(9).max(25),
  engine: engineSchema,
  /** Published GPU of the deployment: selects defaults, and figures for comparison. */
  targetGpu: z.enum(publishedGpus).optional(),
  configure: configureSchema,
  /** Only for the format `trt`. */
  tensorrt: z
    .strictObject({
      /** Scratch memory per layer, bytes. */
      maxWorkspaceBytes: positive.default(defaultWorkspaceBytes),
    })
    .optional(),
  accuracy: accuracySchema,
  performance: performanceSchema,
  /** Seconds by step id; absent: the step's default. */
  deadlines: z.record(z.string(), z.number().positive().max(longestDeadlineS)),
});

export type RunSpec = z.infer<typeof runSpecSchema>;
export type ModelSource = z.infer<typeof sourceSchema>;
export type Framework = (typeof frameworks)[number];
export type Precision = (typeof precisions)[number];
export type DockerEngineSpec = z.infer<typeof dockerEngineSchema>;
export type EngineKind = (typeof engines)[number];
export type Profile = (typeof profiles)[number];
export type LoadTool = (typeof loadTools)[number];
export type RequestDistribution = (typeof requestDistributions)[number];
export type Protocol = (typeof protocols)[number];
export type Accelerator = (typeof accelerators)[number];
export type ConfigureSpec = RunSpec['configure'];
export type PerformanceSpec = RunSpec['performance'];
export type Replay = NonNullable<PerformanceSpec['replay']>;
export type ReplayRead = NonNullable<Replay['read']>;
export type AccuracySpec = RunSpec['accuracy'];

/** A repository that is served as it is; null for other models. */
export const repositoryOf = ({ source }: Pick<RunSpec['model'], 'source'>) => source?.repository ?? null;
