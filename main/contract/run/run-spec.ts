import { z } from 'zod';
import { tlsFilesSchema, withScheme } from '../address';
import { imageReferenceSchema } from '../docker';
import { hostNameSchema } from '../host/host-name';
import { jobEngines, jobEngineSchemas } from '../job/job-engines';
import { formats } from './model-formats';
import { remoteLimitsSchema } from './remote-limits';
import '../issue-text';

export { type Format, formats } from './model-formats';

const positive = z.int().min(1);

/** Requests of stateful models, by perf_analyzer's terms. */
export const sequenceSchema = z.strictObject({
  /** Requests of a sequence, give or take the variation. */
  length: positive.default(20),
  /** Percent of the length by which sequences are shorter or longer. */
  lengthVariation: z.number().min(0).max(100).default(20),
  /** Sequences at once of request-rate levels; of concurrency levels as many as the concurrency. */
  concurrent: positive.default(4),
  /** Correlation ids go from the first to before the end, and then begin anew; without an end they go on. */
  firstId: positive.default(1),
  endId: positive.optional(),
});
export type SequenceSettings = z.infer<typeof sequenceSchema>;

/** GPUs that the five published documents have figures and defaults of, oldest first. */
export const publishedGpus = ['V100', 'T4', 'A100', 'A40', 'A30'] as const;
export type PublishedGpu = (typeof publishedGpus)[number];

/**
 * The published GPU that a device of this name is ("Tesla V100-SXM2-32GB", "NVIDIA A30"); null for every other one, and
 * for a slice of one (MIG), of which nothing is published.
 */
export function publishedGpuOf(name: string): PublishedGpu | null {
  const words = name.split(/[^A-Za-z0-9]+/);
  if (words.includes('MIG')) return null;
  return publishedGpus.find((gpu) => words.includes(gpu)) ?? null;
}

/** What a preset's model.py is written in: PyTorch, or TensorFlow with Keras. */
export const frameworks = ['pyt', 'tf'] as const;
export const precisions = ['fp32', 'fp16'] as const;
export const engines = ['local', 'docker', 'remote', ...jobEngines] as const;
export const accelerators = ['none', 'cuda', 'trt', 'amp'] as const;
export const profiles = ['quick', 'full'] as const;
export const loadTools = ['native', 'perf_analyzer'] as const;
export const protocols = ['grpc', 'http'] as const;
const batchingModes = ['disabled', 'static', 'dynamic'] as const;
const requestDistributions = ['constant', 'poisson'] as const;
/** Two runs send at the same times. */
export const defaultRequestSeed = 20_210_721;
export const defaultErrorPercentage = 1;
const searches = ['none', 'linear', 'binary'] as const;
const sharedMemories = ['none', 'system', 'cuda'] as const;
const measurementModes = ['time_windows', 'count_windows'] as const;
export const inputDataModes = ['random', 'zero', 'dataset', 'file'] as const;
/** What of some of the responses is checked: nothing, names, types and shapes, or also that all values are finite. */
const outputCheckKinds = ['none', 'form', 'finite'] as const;

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w.-]{0,127}$/,
    'must have letters, digits, ".", "_" and "-" only, and not begin with "." or "-"',
  );
/** Timers that are asked for more run out at once. */
export const longestTimerMs = 2 ** 31 - 1;

const port = z.int().min(1).max(65535);
const tolerance = z.record(z.string(), z.number().min(0));

/** What an own model is; a model repository is opened as the model file inside it. */
export const sourceKinds = ['folder', 'onnx', 'torchscript', 'savedmodel'] as const;

/** A path below a folder: no absolute one, no step upwards, no NUL. */
export const innerPathSchema = z
  .string()
  .max(4096)
  .refine(
    (path) =>
      !/[\0\\]/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..'),
    'a path below the folder of the model, without ".." and not from "/" on',
  );

const sourceTensor = z.strictObject({
  name: z.string().min(1),
  /** Triton's name: FP32, INT64, ... */
  datatype: z.string(),
  /** As the file has it; -1 where a dimension varies. */
  shape: z.array(z.int()),
});

/** The engineer's own model, with what was read from it without executing it: a run needs no second look for its tensors. */
export const sourceSchema = z.strictObject({
  kind: z.enum(sourceKinds),
  /** Absolute; a file, or the folder with model.py or saved_model.pb. */
  path: z.string(),
  title: z.string(),
  /** Empty for a folder, whose preset.yaml names them. */
  inputs: z.array(sourceTensor.extend({ sample: z.array(z.int().min(0)) })),
  outputs: z.array(sourceTensor),
  /** The first axis of every tensor is the batch. */
  batched: z.boolean(),
  /** ONNX operator set. */
  opset: z.int().optional(),
  /** Files with weights beside an ONNX file, relative to its folder. */
  externalFiles: z.array(innerPathSchema).max(10_000).default([]),
});

/** Arguments of a model's own code. They reach it as text, so that 64 and "64" are the same run. */
export const argumentsSchema = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()]).transform(String),
);

const modelSchema = z.strictObject({
  /** Folder name under `resources/models`; of an own model the name that its file leads to. */
  preset: name,
  source: sourceSchema.optional(),
  /** Shapes of generated samples by input, in place of those that `source` was opened with. */
  shapes: z.record(z.string(), z.array(z.int().min(0))).optional(),
  profile: z.enum(profiles),
  /** The user's weights; without them the preset trains (quick) or initialises (full) its own. */
  checkpoint: z.string().optional(),
  /** An existing data set in the preset's own format; without it one is generated. */
  dataset: z.string().optional(),
  /** Extra arguments of the preset's model.py and dataloader.py, by their own names. */
  args: argumentsSchema,
});

const configureSchema = z.strictObject({
  modelName: name,
  modelVersion: positive,
  maxBatchSize: z.int().min(0),
  batching: z.enum(batchingModes),
  preferredBatchSizes: z.array(positive),
  maxQueueDelayUs: z.int().min(0),
  instances: positive,
  instanceKind: z.enum(['KIND_AUTO', 'KIND_CPU', 'KIND_GPU']),
  backendAccelerator: z.enum(accelerators),
  captureCudaGraph: z.boolean(),
  /** Threads of one model instance's runtime on CPU; 0 = the runtime's own choice. */
  threads: z.int().min(0),
  /**
   * What was edited by hand in config.pbtxt and has no field here: a JSON merge patch (RFC 7396) over the generated
   * ModelConfig, with the names of its JSON form.
   */
  configPatch: z.record(z.string(), z.unknown()).default({}),
});

const accuracySchema = z.strictObject({
  /** Samples of the data set that are compared, the first ones; absent: all. */
  samples: positive.optional(),
  /** Per output name; `*` stands for every output that is not named. */
  atol: tolerance,
  rtol: tolerance,
  /** Share of an output's values, 0 to 1, that may lie outside the tolerances: class numbers differ whole or not. */
  maxMismatch: z.record(z.string(), z.number().min(0).max(1)).optional(),
  /** Largest allowed |framework - Triton| of each metric. */
  maxMetricDelta: z.number().min(0),
  /** Lowest allowed value of a metric, by name; the highest where the preset says that lower is better. */
  thresholds: z.record(z.string(), z.number()),
  allowUnverified: z.boolean(),
});

/** What one scenario does otherwise than both, as the published procedures do. */
const scenarioLoadSchema = z
  .strictObject({
    loadTool: z.enum(loadTools),
    protocol: z.enum(protocols),
    sharedMemory: z.enum(sharedMemories),
    measurementRequestCount: positive,
  })
  .partial();

export const performanceSchema = z.strictObject({
  loadTool: z.enum(loadTools),
  protocol: z.enum(protocols),
  inputData: z.enum(inputDataModes),
  /** Of mode `file`: perf_analyzer's JSON, an npz file, or a folder with a raw file an input; by its full path. */
  inputDataFile: z.string().optional(),
  /** Offline scenario: one client request at a time, one point a batch size. */
  batchSizes: z.array(positive).min(1, 'Give at least one batch size'),
  /** Online scenario: batch size of each request, one point a concurrency. */
  onlineBatchSize: positive,
  concurrency: z.array(positive).min(1, 'Give at least one concurrency'),
  /** Requests a second, one online level each, in place of `concurrency`: sent when due, answered or not. */
  requestRates: z.array(z.number().positive()).default([]),
  requestDistribution: z.enum(requestDistributions).default('constant'),
  /** Of the times of `poisson`; perf_analyzer has a seed of its own. */
  requestSeed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(defaultRequestSeed),
  /** Microseconds between requests, repeated without end: one online level in place of `requestRates`. */
  requestIntervalsUs: z.array(z.number().positive()).max(100_000).default([]),
  /** Which online levels are measured: all, or those that a search for the last within `latencyThresholdMs` tries. */
  search: z.enum(searches).default('none'),
  /** Largest p99 of a search, milliseconds; 0 = none. */
  latencyThresholdMs: z.number().min(0).default(0),
  sharedMemory: z.enum(sharedMemories).default('none'),
  /** Of each output of a request, bytes. */
  outputSharedMemoryBytes: positive.default(102_400),
  /** `form`: of responses that are picked at random; the built-in load generator checks the length of every one. */
  checkOutputs: z.enum(outputCheckKinds).default('form'),
  /** For stateful models: requests go out in sequences. */
  sequences: sequenceSchema.optional(),
  /** gRPC over a stream, for models that answer a request any number of times. */
  streaming: z.boolean().optional(),
  measurementMode: z.enum(measurementModes),
  measurementIntervalMs: positive.max(longestTimerMs),
  measurementRequestCount: positive,
  /** Requests of a level, exactly, in one window in place of windows until it is steady; 0: windows. */
  requestCount: z.int().min(0).default(0),
  /** Above this share of failed requests a level has errors, and is no answer. */
  errorPercentage: z.number().min(0).max(100).default(defaultErrorPercentage),
  stabilityPercentage: z.number().positive(),
  /** Latency that decides whether windows agree and a search goes on, as a percentile; 0: the mean, and the p99 of a search. */
  percentile: z.int().min(0).max(99).default(0),
  maxTrials: z.int().min(3),
  warmupMs: z.int().min(0).max(longestTimerMs),
  /** Requests before those that are measured, in place of `warmupMs`; 0: none. */
  warmupRequestCount: z.int().min(0).default(0),
  /** How often each level is measured, in rounds over all of them: A B A B. A search measures once. */
  repeats: positive.max(100).default(1),
  /** Every level also with the other load tool, in turns, to say where the two differ. */
  crossCheck: z.boolean().default(false),
  /** One window of each of several levels per round, in place of one level after the other until each is steady. */
  inTurns: z.boolean().optional(),
  offline: scenarioLoadSchema.optional(),
  online: scenarioLoadSchema.optional(),
});

export const dockerEngineSchema = z.strictObject({
  kind: z.literal('docker'),
  /** `cpu`: built here from `resources/docker`; `ngc`: NVIDIA's, for GPUs. Absent: `ngc` with GPUs, else `cpu`. */
  images: z.enum(['cpu', 'ngc']).optional(),
  /** NGC release of all images, as "26.07". */
  release: z
    .string()
    .regex(/^\d\d\.\d\d$/, 'must be a release such as 26.07')
    .optional(),
  /** Another image than the one that `images` and `release` lead to; by digest where it must not change. */
  tritonImage: imageReferenceSchema.optional(),
  clientImage: imageReferenceSchema.optional(),
  /** "idlest" or "all", which become UUIDs when the run is created; or UUIDs of GPUs and MIG devices; none when empty. */
  gpus: z.array(z.string().regex(/^[\w.:/-]+$/)).default([]),
  /** Name of the host whose Docker Engine does the work; absent: the one that the docker command would use. */
  host: hostNameSchema.optional(),
  /** /dev/shm of the Triton container. */
  shmSizeMiB: positive.default(1024),
  httpPort: port.optional(),
  grpcPort: port.optional(),
});

const engineSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('local'),
    /** Fixed ports; each is chosen by the engine when it is absent. */
    httpPort: port.optional(),
    grpcPort: port.optional(),
  }),
  dockerEngineSchema,
  z.strictObject({
    kind: z.literal('remote'),
    url: z
      .string()
      .transform(withScheme)
      .pipe(z.url({ error: 'must be an address such as http://host:8000' })),
    tls: tlsFilesSchema.optional(),
    /** Of the load on another machine; this machine's own servers have none. */
    limits: remoteLimitsSchema.optional(),
  }),
  ...jobEngines.map((kind) => jobEngineSchemas[kind].engine),
]);

const longestDeadlineS = Math.floor(longestTimerMs / 1000);

/** The published deployments' smallest. */
export const defaultWorkspaceBytes = 2 ** 30;

/** Everything that decides a run: what is written to `run.yaml` and hashed. Times say their unit. */
export const runSpecSchema = z.strictObject({
  version: z.literal(1),
  model: modelSchema,
  format: z.enum(formats),
  precision: z.enum(precisions),
  onnxOpset: z.int().min(9).max(25),
  engine: engineSchema,
  /** The published GPU that the deployment is for: its published defaults, and its figures beside the measured ones. */
  targetGpu: z.enum(publishedGpus).optional(),
  configure: configureSchema,
  /** Building a TensorRT plan; of effect for the format `trt` alone. */
  tensorrt: z
    .strictObject({
      /** Scratch memory that a layer may use, in bytes. */
      maxWorkspaceBytes: positive.default(defaultWorkspaceBytes),
    })
    .optional(),
  accuracy: accuracySchema,
  performance: performanceSchema,
  /** Deadline by step id, seconds; a step without one has the default of its own. */
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
export type AccuracySpec = RunSpec['accuracy'];
