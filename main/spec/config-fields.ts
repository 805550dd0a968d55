import type { Signature } from '../contract/run/artefacts';
import {
  type Accelerator,
  type ConfigureSpec,
  type Precision,
  precisions,
  type RunSpec,
} from '../contract/run/run-spec';
import { instanceGroupOf } from '../contract/run/serving';
import type { ModelConfig } from '../triton/model-config';

/** What a config.pbtxt says that the specification has fields for. */
interface ConfigFields {
  readonly precision: Precision;
  /** With the `configPatch` that was there before. */
  readonly configure: ConfigureSpec;
}

const wholeNumber = (value: unknown): number | null => {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
};

function batchingFields(config: ModelConfig, before: ConfigureSpec) {
  const { maxBatchSize, dynamicBatching } = config;
  if (maxBatchSize === 0) {
    const still = before.batching === 'static' && before.maxBatchSize === 0;
    return still ? {} : { batching: 'disabled' as const };
  }
  const sizes = { maxBatchSize };
  if (dynamicBatching === undefined) return { ...sizes, batching: 'static' as const };
  return {
    ...sizes,
    batching: 'dynamic' as const,
    preferredBatchSizes: [...(dynamicBatching.preferredBatchSize ?? [])],
    maxQueueDelayUs: wholeNumber(dynamicBatching.maxQueueDelayMicroseconds ?? 0) ?? before.maxQueueDelayUs,
  };
}

/** One plain group is what the form has; several, or named ones on chosen GPUs, stay an edit by hand. */
function instanceFields(config: ModelConfig, spec: RunSpec) {
  const [group, ...more] = config.instanceGroup ?? [];
  if (group === undefined || more.length > 0) return {};
  const { kind = 'KIND_AUTO', count = 1 } = group;
  const instances = count < 1 ? {} : { instances: count };
  if (kind === 'KIND_MODEL') return instances;
  const written = spec.configure.instanceKind === 'KIND_AUTO' ? instanceGroupOf(spec).kind : null;
  return kind === written ? instances : { ...instances, instanceKind: kind };
}

const acceleratorNames: Readonly<Record<string, Accelerator>> = {
  tensorrt: 'trt',
  cuda: 'cuda',
  auto_mixed_precision: 'amp',
};

function acceleratorFields(config: ModelConfig, generated: ModelConfig, before: ConfigureSpec) {
  const acceleratorsOf = (of: ModelConfig) =>
    of.optimization?.executionAccelerators?.gpuExecutionAccelerator ?? [];
  const [first] = acceleratorsOf(config);
  // "cuda" leaves no trace in the file of some formats.
  const silent = first === undefined && acceleratorsOf(generated).length === 0;
  const named = first === undefined ? 'none' : acceleratorNames[first.name];
  const backendAccelerator = silent || named === undefined ? before.backendAccelerator : named;
  const inOnnx = ['1', 'true'].includes(first?.parameters?.['trt_cuda_graph_enable'] ?? '');
  const inPlan = config.platform === 'tensorrt_plan' && config.optimization?.cuda?.graphs === true;
  return { backendAccelerator, captureCudaGraph: inPlan || (backendAccelerator === 'trt' && inOnnx) };
}

/** Names of the parameter by backend: the shims', ONNX Runtime's, PyTorch's. */
const threadParameters = ['intra_op_threads', 'intra_op_thread_count', 'INTRA_OP_THREAD_COUNT'];

function threadFields(config: ModelConfig) {
  const given = threadParameters.map((name) => config.parameters?.[name]?.stringValue);
  const threads = wholeNumber(given.find((value) => value !== undefined) ?? 0);
  return threads === null || threads < 0 ? {} : { threads };
}

function versionFields(config: ModelConfig) {
  const specific = config.versionPolicy?.['specific'] as { versions?: readonly unknown[] } | undefined;
  const [version, ...more] = specific?.versions ?? [];
  const number = wholeNumber(version);
  return number === null || number < 1 || more.length > 0 ? {} : { modelVersion: number };
}

function precisionOf(
  config: ModelConfig,
  spec: RunSpec,
  signatureAt: (precision: Precision) => Signature,
): Precision {
  const types = config.input.map((tensor) => tensor.dataType).join();
  const typesAt = (precision: Precision) =>
    signatureAt(precision)
      .inputs.map((tensor) => `TYPE_${tensor.datatype}`)
      .join();
  if (types === typesAt(spec.precision)) return spec.precision;
  return precisions.find((precision) => typesAt(precision) === types) ?? spec.precision;
}

/**
 * The fields of the specification as a config.pbtxt has them; what it does not say stays as it was. The precision is
 * that of its tensors: TensorRT's `precision_mode` may well be another. Pure.
 */
export function configFields(input: {
  readonly config: ModelConfig;
  readonly spec: RunSpec;
  /** What the fields lead to now. */
  readonly generated: ModelConfig;
  readonly signatureAt: (precision: Precision) => Signature;
}): ConfigFields {
  const { config, spec, generated } = input;
  const { configure: before } = spec;
  return {
    precision: precisionOf(config, spec, input.signatureAt),
    configure: {
      ...before,
      modelName: config.name === '' ? before.modelName : config.name,
      ...versionFields(config),
      ...batchingFields(config, before),
      ...instanceFields(config, spec),
      ...acceleratorFields(config, generated, before),
      ...threadFields(config),
    },
  };
}
