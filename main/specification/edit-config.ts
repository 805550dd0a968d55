import { toWire, WorkbenchError } from '../contract/errors';
import type { Signature } from '../contract/run/artefacts';
import {
  type Accelerator,
  type ConfigureSpec,
  type Precision,
  precisions,
  repositoryOf,
  type RunSpec,
  runSpecSchema,
} from '../contract/run/run-spec';
import type { Choice, ConfigEdit } from '../contract/run/spec-tools';
import { instanceGroupOf } from '../domain/run/serving';
import { tensorPrecisionOf } from '../formats/formats';
import { queueFieldsOf, queueOff } from '../formats/queue-policy';
import { warmUpSamplesOf, warmUpSizesOf } from '../formats/warm-up';
import { canonicalJson } from '../platform/files';
import type { LoadedPreset } from '../presets/presets';
import { atPrecision, signatureOf } from '../presets/signature';
import { parseConfigPbtxt } from '../triton/config/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import { diffConfig } from '../triton/served-config';
import { generatedConfig, readChoice } from './read-choice';
import { sizeProblem } from './spec-readers';

/** Names in config.pbtxt of specification fields. */
const textNames: Readonly<Record<string, string>> = {
  modelName: 'name',
  modelVersion: 'versions',
  maxBatchSize: 'max_batch_size',
  preferredBatchSizes: 'preferred_batch_size',
  maxQueueDelayUs: 'max_queue_delay_microseconds',
  maxQueueSize: 'max_queue_size',
  queueTimeoutUs: 'default_timeout_microseconds',
  instances: 'count',
  instanceKind: 'kind',
};

function refused(message: string, line: number | null): ConfigEdit {
  return { overrides: {}, problem: { message, line } };
}

/** First line that mentions a field; null without one. */
function lineOf(text: string, name: string): number | null {
  const index = text.split('\n').findIndex((line) => new RegExp(`(^|[\\s{])${name}\\s*[:[{]`).test(line));
  return index < 0 ? null : index + 1;
}

type Parsed =
  { readonly ok: true; readonly config: ModelConfig } | { readonly ok: false; readonly edit: ConfigEdit };

function parsed(text: string): Parsed {
  try {
    return { ok: true, config: parseConfigPbtxt(text) };
  } catch (error) {
    const { message: what, where, remedy } = toWire(error);
    const message = remedy === undefined ? what : `${what}. ${remedy}`;
    const line = /line (\d+)/.exec(where ?? '')?.[1];
    const field = /[a-z_]+$/.exec((where ?? '').replace(/\[[^\]]*\]/g, ''))?.[0];
    const named = field === undefined ? null : lineOf(text, field);
    return { ok: false, edit: refused(message, line === undefined ? named : Number(line)) };
  }
}

/** Fields of `after` that differ from `before`. */
function changes(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after).filter(
      ([key, value]) => canonicalJson(value) !== canonicalJson(before[key] ?? null),
    ),
  );
}

/** A problem of the resulting specification, located in the text. */
function misfit(text: string, spec: RunSpec): ConfigEdit | null {
  const checked = runSpecSchema.safeParse(spec);
  const issue = checked.error?.issues[0];
  if (issue === undefined) return null;
  const field = String(issue.path[1] ?? '');
  const name = textNames[field] ?? field;
  return refused(`${name}: ${issue.message}`, lineOf(text, name));
}

interface ConfigFields {
  readonly precision: Precision;
  /** With the earlier `configPatch`. */
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
    ...queueFieldsOf(dynamicBatching.defaultQueuePolicy),
  };
}

/** The form has one plain group; several, or named ones on chosen GPUs, stay a manual edit. */
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
  // "cuda" leaves no trace in some formats' files.
  const silent = first === undefined && acceleratorsOf(generated).length === 0;
  const named = first === undefined ? 'none' : acceleratorNames[first.name];
  const backendAccelerator = silent || named === undefined ? before.backendAccelerator : named;
  const inOnnx = ['1', 'true'].includes(first?.parameters?.['trt_cuda_graph_enable'] ?? '');
  const inPlan = config.platform === 'tensorrt_plan' && config.optimization?.cuda?.graphs === true;
  return { backendAccelerator, captureCudaGraph: inPlan || (backendAccelerator === 'trt' && inOnnx) };
}

/** By backend: the shims', ONNX Runtime's, PyTorch's. */
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

/** What a file says by leaving it out, of fields that are set: a merge cannot take a field away. */
function leftOut(before: ConfigureSpec, config: ModelConfig): Partial<ConfigureSpec> {
  const off: Partial<ConfigureSpec> = {
    ...(config.dynamicBatching === undefined ? {} : queueOff),
    ...(config.modelWarmup === undefined ? { warmup: 'none' } : {}),
  };
  return Object.fromEntries(Object.entries(off).filter(([field]) => Object.hasOwn(before, field)));
}

/** Files of samples do not come with a text: the run makes its own. */
function warmUpFields(config: ModelConfig, { warmup }: ConfigureSpec): Partial<ConfigureSpec> {
  if (warmup === 'samples' || warmUpSamplesOf(config).length === 0) return {};
  const [smallest = 1, ...larger] = warmUpSizesOf(config);
  return { warmup: 'samples', warmupBatchSizes: [smallest, ...larger] };
}

/** Absent fields stay. Precision is that of the tensors, as TensorRT's `precision_mode` may differ. */
function configFields(input: {
  readonly config: ModelConfig;
  readonly spec: RunSpec;
  readonly generated: ModelConfig;
  readonly signatureAt: (precision: Precision) => Signature;
}): ConfigFields {
  const { config, spec, generated } = input;
  const { configure: before } = spec;
  return {
    precision: precisionOf(config, spec, input.signatureAt),
    configure: {
      ...before,
      ...leftOut(before, config),
      modelName: config.name === '' ? before.modelName : config.name,
      ...versionFields(config),
      ...batchingFields(config, before),
      ...instanceFields(config, spec),
      ...acceleratorFields(config, generated, before),
      ...threadFields(config),
      ...warmUpFields(config, before),
    },
  };
}

/**
 * Splits a config.pbtxt: known fields go to the specification, the rest to `configure.configPatch`, which is replaced as a
 * whole. The resulting choice leads to the same file. Never throws for bad text.
 */
export function editConfig(loaded: LoadedPreset, choice: Choice, text: string): ConfigEdit {
  const tooLarge = sizeProblem('config-pbtxt', text);
  if (tooLarge !== null) return refused(tooLarge, null);
  const read = parsed(text);
  if (!read.ok) return read.edit;
  const { config } = read;
  const { nearest: spec } = readChoice(loaded.preset, choice);
  if (spec === null) return refused('Other settings of this run are invalid; fix them first', null);
  if (repositoryOf(spec.model) !== null) {
    const why = 'The config.pbtxt of a repository is edited in the repository, and opened again';
    return refused(why, null);
  }
  try {
    const fields = configFields({
      config,
      spec,
      generated: generatedConfig(loaded, spec),
      signatureAt: (precision) =>
        atPrecision(signatureOf(loaded.preset, spec), tensorPrecisionOf({ format: spec.format, precision })),
    });
    const wanted: RunSpec = {
      ...spec,
      precision: fields.precision,
      configure: { ...fields.configure, configPatch: {} },
    };
    const bad = misfit(text, wanted);
    if (bad !== null) return bad;
    const configPatch = diffConfig(generatedConfig(loaded, wanted), config);
    const configure = changes(spec.configure, { ...fields.configure, configPatch });
    return {
      overrides: {
        ...(fields.precision === spec.precision ? {} : { precision: fields.precision }),
        ...(Object.keys(configure).length === 0 ? {} : { configure }),
      },
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    return refused(error.message, null);
  }
}
