import { WorkbenchError } from './errors';

const numbers = (value: string): number[] =>
  value
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(Number);
const flag = (value: string): boolean => value === '1' || value.toLowerCase() === 'true';
/** The seeds' `gpu` and `cpu` of --engine-count-per-device. */
const deviceKind = (value: string): string =>
  ({ gpu: 'KIND_GPU', cpu: 'KIND_CPU' })[value.toLowerCase()] ?? value;

/**
 * Variable of the published shell and runner procedures -> field of the run specification and how its text is read.
 * Source: the environment files and runner configurations of the five deployments.
 */
export const upstreamVariables: Readonly<
  Record<string, { readonly field: string; readonly read: (value: string) => unknown }>
> = {
  MODEL_NAME: { field: 'configure.modelName', read: String },
  FORMAT: { field: 'format', read: String },
  PRECISION: { field: 'precision', read: String },
  BATCH_SIZE: { field: 'performance.batchSizes', read: numbers },
  BATCH_SIZES: { field: 'performance.batchSizes', read: numbers },
  MAX_BATCH_SIZE: { field: 'configure.maxBatchSize', read: Number },
  BACKEND_ACCELERATOR: { field: 'configure.backendAccelerator', read: String },
  ACCELERATOR: { field: 'configure.backendAccelerator', read: String },
  CAPTURE_CUDA_GRAPH: { field: 'configure.captureCudaGraph', read: flag },
  TENSORRT_CAPTURE_CUDA_GRAPH: { field: 'configure.captureCudaGraph', read: flag },
  DEVICE: { field: 'configure.instanceKind', read: deviceKind },
  DEVICE_KIND: { field: 'configure.instanceKind', read: deviceKind },
  NUMBER_OF_MODEL_INSTANCES: { field: 'configure.instances', read: Number },
  TRITON_GPU_ENGINE_COUNT: { field: 'configure.instances', read: Number },
  TRITON_MAX_QUEUE_DELAY: { field: 'configure.maxQueueDelayUs', read: Number },
  TRITON_PREFERRED_BATCH_SIZES: { field: 'configure.preferredBatchSizes', read: numbers },
  MAX_WORKSPACE_SIZE: { field: 'tensorrt.maxWorkspaceBytes', read: Number },
  TENSORRT_MAX_WORKSPACE_SIZE: { field: 'tensorrt.maxWorkspaceBytes', read: Number },
  BATCHING: { field: 'configure.batching', read: String },
  CHECKPOINT: { field: 'model.checkpoint', read: String },
  DATASETS_DIR: { field: 'model.dataset', read: String },
  REQUEST_COUNT: { field: 'performance.measurementRequestCount', read: Number },
  MEASUREMENT_INTERVAL: { field: 'performance.measurementIntervalMs', read: Number },
  MEASUREMENT_WINDOW: { field: 'performance.measurementIntervalMs', read: Number },
  MEASUREMENT_MODE: { field: 'performance.measurementMode', read: String },
  PERFORMANCE_TOOL: { field: 'performance.loadTool', read: String },
  ONNX_OPSET: { field: 'onnxOpset', read: Number },
};

function literal(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** `{a: {b: value}}` from `a.b`. */
export function treeOf(field: string, value: unknown): Record<string, unknown> {
  return field
    .split('.')
    .reverse()
    .reduce<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>;
}

/**
 * One `--set KEY=VALUE`: an upstream variable (`TRITON_MAX_QUEUE_DELAY=1`) or a field of the
 * specification (`accuracy.thresholds.top1=0.9`, values as JSON or plain text). Throws input-invalid.
 */
export function readAssignment(text: string): Record<string, unknown> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new WorkbenchError('input-invalid', `"${text}" is not of the form KEY=VALUE`, { where: '--set' });
  }
  const variable = Object.hasOwn(upstreamVariables, key) ? upstreamVariables[key] : undefined;
  if (variable !== undefined) {
    const read = variable.read(value);
    const bad = Array.isArray(read) ? read.some(Number.isNaN) : Number.isNaN(read);
    if (bad)
      throw new WorkbenchError('input-invalid', `${key}: "${value}" is not a number`, { where: '--set' });
    return treeOf(variable.field, read);
  }
  if (!/^[a-z][A-Za-z]*(\.[\w*-]+)*$/.test(key)) {
    throw new WorkbenchError(
      'input-invalid',
      `"${key}" is neither an upstream variable nor a field of run.yaml`,
      {
        where: '--set',
        remedy: `The variables are: ${Object.keys(upstreamVariables).join(', ')}.`,
      },
    );
  }
  return treeOf(key, literal(value));
}
