import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { toWire } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import type { ModelSource } from '../contract/run/run-spec';
import { backendOf } from '../formats/patched-config';
import { readBoundedFile } from '../platform/plain-entry';
import { parseConfigPbtxt } from '../triton/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import { traitsOf } from '../triton/model-traits';
import { folderRefused } from './model-files';

export interface RepositoryModel {
  readonly kind: Exclude<ModelSource['kind'], 'folder'>;
  readonly config: ModelConfig;
  /** The model file, or the SavedModel folder, of the newest version. */
  readonly file: string;
  readonly version: number;
}

const kinds: Readonly<Record<string, { readonly kind: RepositoryModel['kind']; readonly file: string }>> = {
  onnxruntime: { kind: 'onnx', file: 'model.onnx' },
  pytorch: { kind: 'torchscript', file: 'model.pt' },
  tensorflow: { kind: 'savedmodel', file: 'model.savedmodel' },
};

export const mostConfigBytes = fileLimits.configPbtxt.bytes;

/** Text of config.pbtxt. It comes with a repository of any origin, so it may lead nowhere else. */
async function configText(path: string): Promise<string> {
  const found = await readBoundedFile(path, mostConfigBytes);
  if ('text' in found) return found.text;
  throw folderRefused(
    path,
    `config.pbtxt cannot be read: ${found.problem}`,
    `Put a regular file of at most ${mostConfigBytes} bytes there; links, pipes and devices are not followed.`,
  );
}

/** Throws model-folder-invalid where the model is not what its backend loads: a file, or the folder of a SavedModel. */
async function checkModelFile(file: string, kind: RepositoryModel['kind'], usual: string): Promise<void> {
  const stats = await lstat(file).catch(() => null);
  if (stats === null) {
    throw folderRefused(
      file,
      'The version folder lacks the model file',
      `Its name is ${usual}, or default_model_filename.`,
    );
  }
  if (kind === 'savedmodel' ? stats.isDirectory() : stats.isFile()) return;
  const wanted = kind === 'savedmodel' ? 'a folder' : 'a regular file';
  throw folderRefused(
    file,
    `The model is not ${wanted}`,
    `Put ${wanted} there; links, pipes and devices are not followed.`,
  );
}

/** A model of a Triton repository: its config.pbtxt and the file of its newest version. Throws model-folder-invalid. */
export async function readRepository(folder: string): Promise<RepositoryModel> {
  const path = join(folder, 'config.pbtxt');
  const text = await configText(path);
  let config: ModelConfig;
  try {
    config = parseConfigPbtxt(text);
  } catch (error) {
    const { message, where } = toWire(error);
    throw folderRefused(
      // The place begins with the name of the file.
      where === undefined ? path : join(folder, where),
      message,
      'Correct config.pbtxt.',
    );
  }
  const backend = backendOf(config);
  const known = kinds[backend];
  if (known === undefined) {
    const python = backend === 'python';
    throw folderRefused(
      path,
      python
        ? 'A model of the Python backend is code without a source to compare with; it is not executed'
        : `Models of the backend "${backend}" cannot be opened`,
      python
        ? 'Put its model into a model folder ("init DIR" writes one), or measure it where it is served: perf --url.'
        : 'Give a model of the backend onnxruntime, pytorch or tensorflow, or measure it where it is served: perf --url.',
    );
  }
  const versions = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && /^[1-9]\d*$/.test(entry.name))
    .map((entry) => Number(entry.name))
    .sort((a, b) => b - a);
  const [newest] = versions;
  if (newest === undefined) {
    throw folderRefused(
      folder,
      'The model has no version folder',
      'Put the model file into a folder "1" beside config.pbtxt.',
    );
  }
  const name = config.defaultModelFilename ?? '';
  const file = join(folder, String(newest), name === '' ? known.file : name);
  if (name.includes('/') || name.includes('..')) {
    throw folderRefused(
      path,
      `default_model_filename leads out of the version folder: "${name.slice(0, 200)}"`,
      `Give the plain name of a file in the version folder, as ${known.file}.`,
    );
  }
  await checkModelFile(file, known.kind, known.file);
  return { kind: known.kind, config, file, version: newest };
}

type Tree = Readonly<Record<string, unknown>>;

const taken: ReadonlySet<string> = new Set([
  ...['name', 'platform', 'backend', 'maxBatchSize', 'input', 'output', 'instanceGroup', 'dynamicBatching'],
  ...['defaultModelFilename', 'sequenceBatching', 'modelTransactionPolicy'],
]);

/** Batch sizes of a file's measurement that a model with this maximum takes. */
const measured = (maxBatchSize: number) => [1, 2, 4, 8].filter((size) => size <= Math.max(1, maxBatchSize));

/** What makes a model stateful or decoupled, as config.pbtxt has it; the load is chosen by it. */
function patched(config: ModelConfig): Tree {
  const kept = ['sequenceBatching', 'modelTransactionPolicy'] as const;
  const entries = kept.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]] as const]));
  return entries.length === 0 ? {} : { configPatch: Object.fromEntries(entries) };
}

/** Of GPUs the run has its own choice. */
function groupFields({ instanceGroup: [group] = [] }: ModelConfig): Tree {
  return {
    ...(group?.count === undefined ? {} : { instances: group.count }),
    ...(group?.kind === 'KIND_CPU' ? { instanceKind: 'KIND_CPU' } : {}),
  };
}

/** Fields of config.pbtxt that a run takes over; the file says the rest. Pure. */
export function repositoryOverrides({ config, version }: RepositoryModel, batched: boolean): Tree {
  const dynamic = config.dynamicBatching;
  const delay = Number(dynamic?.maxQueueDelayMicroseconds ?? 0);
  const maxBatchSize = batched ? config.maxBatchSize : 0;
  return {
    configure: {
      ...(/^[A-Za-z0-9][\w.-]{0,127}$/.test(config.name) ? { modelName: config.name } : {}),
      modelVersion: version,
      maxBatchSize,
      batching: maxBatchSize === 0 ? 'disabled' : dynamic === undefined ? 'static' : 'dynamic',
      preferredBatchSizes: maxBatchSize === 0 ? [] : (dynamic?.preferredBatchSize ?? []),
      ...(Number.isSafeInteger(delay) ? { maxQueueDelayUs: delay } : {}),
      ...groupFields(config),
      ...patched(config),
    },
    // The sequence batcher takes one item a request, and makes batches of several sequences by itself.
    performance: { batchSizes: measured(traitsOf(config).sequences ? 1 : maxBatchSize) },
  };
}

/** What an instance_group of the engineer's means here, where it says more than a count; null where it does not. */
function groupNote({ instanceGroup = [] }: ModelConfig): string | null {
  const [first, ...more] = instanceGroup;
  const gpus = instanceGroup.flatMap((group) => group.gpus ?? []);
  if (first === undefined || (more.length === 0 && gpus.length === 0 && first.kind !== 'KIND_GPU'))
    return null;
  const { count = 1 } = first;
  const named = gpus.length === 0 ? '' : ` of GPUs ${[...new Set(gpus)].join(', ')}`;
  const groups = more.length === 0 ? `count ${count}${named}` : `${instanceGroup.length} groups${named}`;
  return `instance_group of config.pbtxt has ${groups}. A run makes ${count} instance${count === 1 ? '' : 's'} on each GPU that you choose, or on the CPU without one. Edit config.pbtxt in the wizard for another placement.`;
}

/** What of config.pbtxt a run does not have, one sentence each. Pure. */
export function repositoryNotes({ config }: RepositoryModel, batched: boolean): string[] {
  const others = Object.entries(config)
    .filter(([name, value]) => !taken.has(name) && value !== undefined)
    .map(([name]) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const group = groupNote(config);
  return [
    ...(group === null ? [] : [group]),
    ...(others.length === 0 ? [] : [`Not taken over from config.pbtxt: ${others.join(', ')}.`]),
    ...(config.maxBatchSize > 0 && !batched
      ? [`config.pbtxt says max_batch_size ${config.maxBatchSize}, but the file has no batch axis.`]
      : []),
  ];
}

/** Triton's PyTorch backend takes a tensor by its place, which stands in its name, or by the name in forward. */
const placeOf = (name: string): number | null => {
  const match = /__(\d+)$/.exec(name);
  return match === null ? null : Number(match[1]);
};

/**
 * Shapes and datatypes of a repository's TorchScript model by the names of its forward, as config.pbtxt has them; axes
 * that vary stay to be asked for. Pure.
 */
export function repositoryTensors({ config }: RepositoryModel, names: readonly string[]) {
  const shapes: Record<string, number[]> = {};
  const datatypes: Record<string, string> = {};
  for (const tensor of config.input) {
    const name = names.includes(tensor.name) ? tensor.name : names[placeOf(tensor.name) ?? -1];
    if (name === undefined) continue;
    datatypes[name] = (tensor.dataType ?? 'TYPE_FP32').replace('TYPE_', '');
    if (!tensor.dims.includes(-1)) shapes[name] = config.maxBatchSize > 0 ? [1, ...tensor.dims] : tensor.dims;
  }
  return { shapes, datatypes };
}

/** Names of config.pbtxt on the tensors of its TorchScript file, so that clients go on as they are. Pure. */
export function withRepositoryNames(source: ModelSource, { config }: RepositoryModel): ModelSource {
  const named = <T extends { readonly name: string }>(tensors: readonly T[], known: typeof config.input) =>
    tensors.map((tensor, index) => {
      const found = known.find(({ name }) => name === tensor.name || placeOf(name) === index);
      return found === undefined ? tensor : { ...tensor, name: found.name };
    });
  return {
    ...source,
    inputs: named(source.inputs, config.input),
    outputs: named(source.outputs, config.output),
  };
}
