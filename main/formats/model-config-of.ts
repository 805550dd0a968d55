import { WorkbenchError } from '../contract/errors';
import type { Signature, TensorSignature } from '../contract/run/artefacts';
import { backendsOf } from '../contract/run/engine-kinds';
import type { ConfigureSpec, RunSpec } from '../contract/run/run-spec';
import { present } from '../contract/trees';
import { instanceGroupOf } from '../domain/run/serving';
import type { ModelConfig } from '../triton/model-config';
import { applyConfigPatch } from '../triton/served-config';
import type { ModelFormat } from './format';
import { checkPatchedConfig } from './patched-config';
import { queuePolicyOf } from './queue-policy';
import { warmUpRequests, type WarmUpSample } from './warm-up';

interface ModelConfigInput {
  readonly spec: Pick<RunSpec, 'configure' | 'engine' | 'precision'>;
  /** Of the served file; batch dimension first. */
  readonly signature: Signature;
  readonly format: ModelFormat;
  /** Of a warm-up with samples; absent: not made yet. */
  readonly samples?: readonly WarmUpSample[] | undefined;
}

function invalid(field: string, message: string, remedy?: string): WorkbenchError {
  return new WorkbenchError('config-invalid', message, { where: `configure.${field}`, remedy });
}

function unsupported(message: string, remedy: string): WorkbenchError {
  return new WorkbenchError('combination-unsupported', message, { remedy });
}

/** With batching "disabled" the batch dimension is like any other. */
export function servedMaxBatchSize(configure: Pick<ConfigureSpec, 'batching' | 'maxBatchSize'>): number {
  return configure.batching === 'disabled' ? 0 : configure.maxBatchSize;
}

function dataType(tensor: TensorSignature): string {
  return tensor.datatype === 'BYTES' ? 'TYPE_STRING' : `TYPE_${tensor.datatype}`;
}

function tensorPart(tensor: TensorSignature, maxBatchSize: number): ModelConfig['input'][number] {
  const base = { name: tensor.name, dataType: dataType(tensor) };
  if (maxBatchSize === 0) {
    const { reshape } = tensor;
    // Triton removes the leading 1 before the model. It has no scalars: their backend removes the axis.
    const own = reshape === undefined || reshape.length === 0 ? {} : { reshape: { shape: [...reshape] } };
    return { ...base, dims: [...tensor.shape], ...own };
  }
  const [batch, ...dims] = tensor.shape;
  if (batch !== -1) {
    throw invalid(
      'maxBatchSize',
      `${tensor.name} has no variable batch dimension: its shape is [${tensor.shape.join(', ')}], but max batch size is ${maxBatchSize}`,
      'Export with a dynamic batch dimension, or set batching to "disabled".',
    );
  }
  // Triton wants at least one dimension; the reshape restores the model's shape.
  return dims.length === 0 ? { ...base, dims: [1], reshape: {} } : { ...base, dims };
}

function dynamicBatching(configure: ConfigureSpec): ModelConfig['dynamicBatching'] {
  return {
    ...(configure.preferredBatchSizes.length === 0
      ? {}
      : { preferredBatchSize: [...configure.preferredBatchSizes] }),
    maxQueueDelayMicroseconds: configure.maxQueueDelayUs,
    ...present({ defaultQueuePolicy: queuePolicyOf(configure) }),
  };
}

function checkBatching(configure: ConfigureSpec): void {
  if (configure.batching !== 'dynamic') return;
  const { maxBatchSize } = configure;
  if (maxBatchSize === 0) {
    throw invalid('maxBatchSize', 'Dynamic batching requires a max batch size of at least 1');
  }
  const tooLarge = configure.preferredBatchSizes.filter((size) => size > maxBatchSize);
  if (tooLarge.length > 0) {
    throw invalid(
      'preferredBatchSizes',
      `Preferred batch size ${tooLarge.join(', ')} is larger than the max batch size ${maxBatchSize}`,
      `Raise the max batch size, or remove preferred sizes above ${maxBatchSize}.`,
    );
  }
}

function checkWarmUp({ warmup = 'none', warmupBatchSizes = [] }: ConfigureSpec, maxBatchSize: number): void {
  const tooLarge = warmupBatchSizes.filter((size) => size > Math.max(1, maxBatchSize));
  if (warmup === 'none' || tooLarge.length === 0) return;
  throw invalid(
    'warmupBatchSizes',
    `Warm-up batch size ${tooLarge.join(', ')} is larger than the max batch size ${maxBatchSize}`,
    `Raise the max batch size, or remove warm-up sizes above ${Math.max(1, maxBatchSize)}.`,
  );
}

function checkChoice(input: ModelConfigInput): void {
  const { configure, engine, precision } = input.spec;
  const accelerator = configure.backendAccelerator;
  const serving = input.format.servedBy({ backends: backendsOf(engine), precision, accelerator });
  if (!serving.ok) throw unsupported(serving.reason, serving.remedy);
  if (backendsOf(engine) === 'python' && configure.instanceKind === 'KIND_GPU') {
    throw unsupported(
      'This Triton runs on the CPU and does not support KIND_GPU instances',
      'Set the instance kind to KIND_CPU or KIND_AUTO, or choose the engine "docker" with GPUs, or "remote".',
    );
  }
  if (configure.captureCudaGraph && accelerator !== 'trt' && input.format.id !== 'trt') {
    throw unsupported(
      'Only TensorRT captures CUDA graphs',
      'Turn "captureCudaGraph" off, or choose backend accelerator "trt".',
    );
  }
  if (accelerator !== 'none' && configure.instanceKind === 'KIND_CPU') {
    throw unsupported(
      `Backend accelerator "${accelerator}" has no effect on KIND_CPU instances`,
      'Set the instance kind to KIND_GPU or KIND_AUTO, or the backend accelerator to "none".',
    );
  }
}

/**
 * From fields only, without manual edits, even for incompatible choices: a form shows it while being filled in.
 * Throws config-invalid for a model without a variable batch dimension.
 */
export function generatedConfigOf(input: ModelConfigInput): ModelConfig {
  const { configure, engine, precision } = input.spec;
  const { modelVersion } = configure;
  const maxBatchSize = servedMaxBatchSize(configure);
  const inputs = input.signature.inputs.map((tensor) => tensorPart(tensor, maxBatchSize));
  const { samples } = input;
  const modelWarmup = warmUpRequests(configure, { maxBatchSize, input: inputs, samples, modelVersion });
  return {
    name: configure.modelName,
    ...input.format.configPart({
      backends: backendsOf(engine),
      precision,
      accelerator: configure.backendAccelerator,
      threads: configure.threads,
      captureCudaGraph: configure.captureCudaGraph,
    }),
    // By default Triton serves only the newest version.
    versionPolicy: { specific: { versions: [modelVersion] } },
    maxBatchSize,
    input: inputs,
    output: input.signature.outputs.map((tensor) => tensorPart(tensor, maxBatchSize)),
    instanceGroup: [instanceGroupOf(input.spec)],
    ...(configure.batching === 'dynamic' ? { dynamicBatching: dynamicBatching(configure) } : {}),
    ...(modelWarmup.length === 0 ? {} : { modelWarmup }),
  };
}

/**
 * The typed config.pbtxt with manual edits. Throws config-invalid naming the field, and combination-unsupported where
 * format, accelerator, instance kind and engine are incompatible.
 */
export function modelConfigOf(input: ModelConfigInput): ModelConfig {
  const { configure, engine } = input.spec;
  checkChoice(input);
  checkBatching(configure);
  checkWarmUp(configure, servedMaxBatchSize(configure));
  const generated = generatedConfigOf(input);
  const patched = applyConfigPatch(generated, configure.configPatch);
  checkPatchedConfig(patched, {
    generated,
    backends: backendsOf(engine),
    modelVersion: configure.modelVersion,
    fileName: input.format.fileName,
  });
  return patched;
}
