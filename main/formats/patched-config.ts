import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import type { BackendSet } from '../contract/run/engine-kinds';
import { formatFacts } from '../contract/run/model-formats';
import type { ModelConfig } from '../triton/model-config';
import { requireInertConfig } from './inert-config';

type Tensors = ModelConfig['input'];

/** Fields that must stay as generated: the run checks and measures what is served. */
interface ServingFrame {
  readonly generated: ModelConfig;
  readonly backends: BackendSet;
  readonly modelVersion: number;
  /** Of the model file in the version folder. */
  readonly fileName: string;
}

function refused(field: string, message: string, remedy: string): WorkbenchError {
  return new WorkbenchError('config-invalid', `${field}: ${message}`, {
    where: `configure.configPatch.${field}`,
    remedy,
  });
}

/** Backend of a platform name, as Triton maps it. */
const platformBackends: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.values(formatFacts).map(({ platform, backend }) => [platform, backend])),
  tensorflow_graphdef: 'tensorflow',
};

/** `onnxruntime` for platform "onnxruntime_onnx" and for backend "onnxruntime". */
export function backendOf(config: Pick<ModelConfig, 'backend' | 'platform'>): string {
  const { backend = '', platform = '' } = config;
  return backend === '' ? (platformBackends[platform] ?? platform) : backend;
}

const dimensions = (tensor: Tensors[number]) => `[${tensor.dims.join(', ')}]`;

function checkTensors(side: 'input' | 'output', generated: Tensors, patched: Tensors): void {
  const remedy =
    'The exported model determines its tensors. Change the format, the precision or the model instead.';
  for (const tensor of generated) {
    const found = patched.find((candidate) => candidate.name === tensor.name);
    if (found === undefined) throw refused(side, `the model's ${side} ${tensor.name} is missing`, remedy);
    if (found.dataType !== tensor.dataType) {
      const wanted = tensor.dataType ?? 'no type';
      throw refused(side, `${tensor.name} is ${wanted}, not ${found.dataType ?? 'without a type'}`, remedy);
    }
    const fits =
      'reshape' in found ||
      (found.dims.length === tensor.dims.length &&
        found.dims.every((size, index) => size === tensor.dims[index] || size === -1));
    if (!fits) {
      throw refused(side, `${tensor.name} has dims ${dimensions(tensor)}, not ${dimensions(found)}`, remedy);
    }
  }
  const extra = patched.find((tensor) => !generated.some((known) => known.name === tensor.name));
  if (extra !== undefined) throw refused(side, `the model has no ${side} ${extra.name}`, remedy);
}

function checkVersions(policy: ModelConfig['versionPolicy'], version: number): void {
  const specific = policy?.['specific'] as { versions?: readonly unknown[] } | undefined;
  if (specific === undefined || specific.versions?.map(Number).includes(version) === true) return;
  throw refused(
    'version_policy',
    `version ${version}, which this run writes and measures, is not among those served`,
    `Name version ${version}, or change the model version.`,
  );
}

const sequenceFeeds = z.looseObject({
  controlInput: z.array(z.looseObject({ name: z.string().default('') })).default([]),
  state: z.array(z.looseObject({ inputName: z.string().default('') })).default([]),
});

/** The framework, which is compared with, has no batcher that fills such inputs. */
function checkSequences(config: ModelConfig): void {
  const given = config['sequenceBatching'];
  if (given === undefined) return;
  const { controlInput, state } = sequenceFeeds.parse(given);
  const names = [...controlInput.map(({ name }) => name), ...state.map(({ inputName }) => inputName)];
  const [first] = names.filter((name) => config.input.some((input) => input.name === name));
  if (state.length > 0 || first !== undefined) {
    throw refused(
      `sequence_batching.${state.length > 0 ? 'state' : 'control_input'}`,
      `the batcher fills ${first ?? names.join(', ')}; the accuracy check has no such values for the framework`,
      'Remove it, or measure the model where it is served: perf --url ... --sequence-length 20.',
    );
  }
}

function checkScheduling(config: ModelConfig): void {
  if (config['ensembleScheduling'] !== undefined) {
    throw refused(
      'ensemble_scheduling',
      'a run cannot check or measure such a model',
      'Remove it, or measure the ensemble where it is served: perf --url.',
    );
  }
  checkSequences(config);
  const { maxBatchSize, dynamicBatching } = config;
  if (dynamicBatching === undefined) return;
  if (maxBatchSize === 0) {
    throw refused('dynamic_batching', 'it needs a max_batch_size of at least 1', 'Raise max_batch_size.');
  }
  const over = dynamicBatching.preferredBatchSize?.find((size) => size < 1 || size > maxBatchSize);
  if (over !== undefined) {
    throw refused(
      'dynamic_batching.preferred_batch_size',
      `${over} is not between 1 and max_batch_size ${maxBatchSize}`,
      'Raise max_batch_size, or remove the size.',
    );
  }
}

function checkInstances(config: ModelConfig, backends: BackendSet): void {
  if (backends !== 'python') return;
  if (config.instanceGroup?.some((group) => group.kind === 'KIND_GPU') === true) {
    throw refused(
      'instance_group',
      'this Triton runs on the CPU and does not support KIND_GPU instances',
      'Set the kind to KIND_CPU, or choose an engine with GPUs.',
    );
  }
}

function checkIdentity(patched: ModelConfig, generated: ModelConfig): void {
  if (patched.name !== generated.name) {
    throw refused(
      'name',
      `it is "${generated.name}" everywhere else in the run`,
      'Change the model name instead.',
    );
  }
  if (patched.maxBatchSize !== generated.maxBatchSize) {
    throw refused(
      'max_batch_size',
      `it is ${generated.maxBatchSize} everywhere else in the run`,
      'Change the max batch size or the batching instead.',
    );
  }
  if (backendOf(patched) !== backendOf(generated)) {
    throw refused(
      patched.backend === generated.backend ? 'platform' : 'backend',
      `format and engine require "${backendOf(generated)}", not "${backendOf(patched)}"`,
      'Change the format or the engine instead.',
    );
  }
  const { platform = '' } = patched;
  if (platform !== '' && backendOf({ platform }) !== backendOf(generated)) {
    throw refused(
      'platform',
      `format and engine require "${backendOf(generated)}", not "${platform}"`,
      'Remove the field, or change the format or the engine instead.',
    );
  }
}

function checkFileNames(patched: ModelConfig, { generated, fileName }: ServingFrame): void {
  const file = patched.defaultModelFilename ?? '';
  const expected = backendOf(generated) === 'python' ? 'model.py' : fileName;
  if (file !== '' && file !== expected) {
    throw refused('default_model_filename', `the file is called ${expected}`, 'Remove the field.');
  }
  const { model_filename: modelFile } = generated.parameters ?? {};
  if (modelFile?.stringValue !== patched.parameters?.['model_filename']?.stringValue) {
    throw refused(
      'parameters["model_filename"]',
      `the file is called ${modelFile?.stringValue ?? fileName}`,
      'Restore the generated value.',
    );
  }
}

/** Throws config-invalid naming the first manual edit that cannot be served. */
export function checkPatchedConfig(patched: ModelConfig, frame: ServingFrame): void {
  const { generated } = frame;
  checkIdentity(patched, generated);
  checkFileNames(patched, frame);
  checkTensors('input', generated.input, patched.input);
  checkTensors('output', generated.output, patched.output);
  checkVersions(patched.versionPolicy, frame.modelVersion);
  checkScheduling(patched);
  checkInstances(patched, frame.backends);
  requireInertConfig(patched);
}
