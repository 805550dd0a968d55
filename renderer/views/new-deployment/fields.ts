import type { EngineStatus } from '../../../main/contract/engine-status';
import type { Preset } from '../../../main/contract/preset';
import {
  accelerators,
  batchingModes,
  formats,
  inputDataModes,
  loadTools,
  precisions,
  profiles,
  protocols,
} from '../../../main/contract/run-spec';
import { formatText, loadToolText, precisionText, profileText } from '../../format/words';
import { dockerFields, engineField } from './engine-fields';
import type { Control, Field, FieldGroup } from './field';

const choice = <Value extends string>(
  values: readonly Value[],
  text: Readonly<Record<Value, string>>,
): Control => ({ kind: 'choice', options: values.map((value) => ({ value, label: text[value] })) });

const modelFields = (preset: Preset): readonly Field[] => [
  {
    path: 'model.profile',
    label: 'Profile',
    term: 'profile',
    help: 'Quick: a narrower model, trained for some seconds on generated images. Full: the published size.',
    control: choice(
      profiles.filter((profile) => Object.hasOwn(preset.profiles, profile)),
      profileText,
    ),
  },
  {
    path: 'format',
    label: 'Format',
    term: 'FORMAT',
    help: 'The form in which the model is served.',
    control: choice(
      formats.filter((format) => preset.formats.includes(format)),
      formatText,
    ),
  },
  {
    path: 'precision',
    label: 'Precision',
    term: 'PRECISION',
    help: 'Number format of weights and activations. FP16 on a CPU is for checking, not for speed.',
    control: choice(
      precisions.filter((precision) => preset.precisions.includes(precision)),
      precisionText,
    ),
  },
  {
    path: 'onnxOpset',
    label: 'ONNX opset',
    term: 'ONNX_OPSET',
    help: 'Version of the ONNX operators; of no effect for TorchScript.',
    control: { kind: 'integer', min: 9 },
  },
];

const servingFields = (preset: Preset): readonly Field[] => [
  {
    path: 'configure.maxBatchSize',
    label: 'Largest batch',
    term: 'max_batch_size',
    help: 'The largest batch that Triton sends to the model in one execution.',
    control: { kind: 'integer', min: 0 },
  },
  {
    path: 'configure.batching',
    label: 'Batching',
    term: 'BATCHING',
    help: 'Dynamic: Triton joins waiting requests into one batch. Static: each request is executed as it comes.',
    control: choice(batchingModes, { disabled: 'Disabled', static: 'Static', dynamic: 'Dynamic' }),
  },
  {
    path: 'configure.preferredBatchSizes',
    label: 'Preferred batches',
    term: 'preferred_batch_size',
    help: 'The dynamic batcher sends a batch at once when it has one of these sizes. Empty: any size.',
    control: { kind: 'integers', mayBeEmpty: true },
  },
  {
    path: 'configure.maxQueueDelayUs',
    label: 'Longest wait for a batch',
    term: 'max_queue_delay_microseconds',
    help: 'How long a request may wait for others to fill a batch.',
    control: { kind: 'integer', min: 0, suffix: ' µs' },
  },
  {
    path: 'configure.instances',
    label: 'Instances',
    term: 'instance_group.count',
    help: 'Copies of the model that work at the same time. On a CPU they share its cores.',
    control: { kind: 'integer', min: 1 },
  },
  {
    path: 'configure.threads',
    label: 'Threads of an instance',
    term: 'threads',
    help: 'Threads that one instance uses on the CPU; 0 lets the runtime choose.',
    control: { kind: 'integer', min: 0 },
  },
  {
    path: 'configure.backendAccelerator',
    label: 'Accelerator',
    term: 'BACKEND_ACCELERATOR',
    help: 'What the backend speeds the model up with. All but “None” need an NVIDIA GPU.',
    control: choice(
      accelerators.filter((accelerator) => preset.accelerators.includes(accelerator)),
      { none: 'None', cuda: 'CUDA', trt: 'TensorRT', amp: 'Mixed precision' },
    ),
  },
];

const measuringFields: readonly Field[] = [
  {
    path: 'performance.batchSizes',
    label: 'Offline: batch sizes',
    term: 'BATCH_SIZE',
    help: 'One point a batch size, one request at a time. Comma-separated.',
    control: { kind: 'integers', mayBeEmpty: false },
  },
  {
    path: 'performance.concurrency',
    label: 'Online: concurrency',
    term: 'concurrency-range',
    help: 'One point for each number of requests that are under way at the same time. Comma-separated.',
    control: { kind: 'integers', mayBeEmpty: false },
  },
  {
    path: 'performance.onlineBatchSize',
    label: 'Online: batch of a request',
    term: 'batch-size',
    help: 'Items in each request of the online scenario.',
    control: { kind: 'integer', min: 1 },
  },
  {
    path: 'performance.loadTool',
    label: 'Load tool',
    term: 'load-tool',
    help: 'What sends the requests: the workbench’s own generator or NVIDIA’s perf_analyzer.',
    control: choice(loadTools, loadToolText),
  },
  {
    path: 'performance.protocol',
    label: 'Protocol',
    term: 'protocol',
    help: 'How requests reach Triton.',
    control: choice(protocols, { grpc: 'gRPC', http: 'HTTP' }),
  },
  {
    path: 'performance.inputData',
    label: 'Input values',
    term: 'input-data',
    help: 'What the requests carry: seeded random values, zeros, or samples of the data set.',
    control: choice(inputDataModes, { random: 'Random', zero: 'Zeros', dataset: 'Data set' }),
  },
  {
    path: 'performance.measurementIntervalMs',
    label: 'Measurement window',
    term: 'MEASUREMENT_INTERVAL',
    help: 'A level is measured in windows of this length until three in a row agree.',
    control: { kind: 'integer', min: 1, suffix: ' ms' },
  },
  {
    path: 'performance.stabilityPercentage',
    label: 'Steady within',
    term: 'stability-percentage',
    help: 'Three windows agree when throughput and latency differ by no more than this.',
    control: { kind: 'number', min: 0.1, step: 1 },
  },
  {
    path: 'performance.maxTrials',
    label: 'Windows at most',
    term: 'max-trials',
    help: 'A level that is not steady after so many windows is marked and the sweep goes on.',
    control: { kind: 'integer', min: 3 },
  },
];

const accuracyFields = (preset: Preset): readonly Field[] => [
  {
    path: 'accuracy.maxMetricDelta',
    label: 'Largest metric difference',
    term: 'max-metric-delta',
    help: 'How far a metric on Triton may be from the same metric in the framework.',
    control: { kind: 'number', min: 0, step: 0.005 },
  },
  ...preset.metrics.map((metric): Field => ({
    path: `accuracy.thresholds.${metric.name}`,
    label: `Lowest ${metric.title}`,
    term: `threshold ${metric.name}`,
    help: 'The gate does not pass below this value. Empty: no limit.',
    control: { kind: 'number', min: 0, step: 0.01 },
  })),
  {
    path: 'accuracy.allowUnverified',
    label: 'Go on unverified',
    term: 'allow-unverified',
    help: 'Measure even if the gate does not pass; every result is then marked “unverified”.',
    control: { kind: 'flag' },
  },
];

/** The form of a preset, with the fields of the engine that is chosen, in the order of the work. */
export const fieldGroups = (
  preset: Preset,
  inDocker: boolean,
  engines: readonly EngineStatus[],
): readonly FieldGroup[] => [
  { title: 'Model', fields: modelFields(preset) },
  {
    title: 'Where it runs',
    fields: [engineField(engines), ...(inDocker ? dockerFields : [])],
  },
  { title: 'Measuring', fields: measuringFields },
  { title: 'Serving on Triton', fields: servingFields(preset) },
  { title: 'Accuracy gate', fields: accuracyFields(preset) },
];
