import type { ModelSource } from '../contract/run/run-spec';
import type { Tree } from '../contract/trees';
import { completedBatchSize, isThreadParameter, threadsOf, traitsPatch } from '../formats/own-config';
import { queueFieldsOf } from '../formats/queue-policy';
import type { ModelConfig } from '../triton/model-config';
import { traitsOf } from '../triton/model-traits';
import { textName } from '../triton/plain-message';
import type { RepositoryModel } from './read-repository';

/** Default batch sizes up to this maximum. */
const measured = (maxBatchSize: number) => [1, 2, 4, 8].filter((size) => size <= Math.max(1, maxBatchSize));

function patched(config: ModelConfig): Tree {
  const configPatch = traitsPatch(config);
  return Object.keys(configPatch).length === 0 ? {} : { configPatch };
}

/** GPUs are the run's own choice. */
function groupFields({ instanceGroup: [group] = [] }: ModelConfig): Tree {
  return {
    ...(group?.count === undefined ? {} : { instances: group.count }),
    ...(group?.kind === 'KIND_CPU' ? { instanceKind: 'KIND_CPU' } : {}),
  };
}

/** Triton completes tensors and batch size of these files, but not of PyTorch's. */
const isCompleted = ({ config, kind }: RepositoryModel): boolean =>
  kind !== 'torchscript' &&
  config.maxBatchSize === 0 &&
  config.input.length === 0 &&
  config.output.length === 0;

function batchingFields(model: RepositoryModel, batched: boolean) {
  const { dynamicBatching: dynamic, maxBatchSize } = model.config;
  if (batched && isCompleted(model)) return { maxBatchSize: completedBatchSize, batching: 'dynamic' };
  if (!batched || maxBatchSize === 0) return { maxBatchSize: 0, batching: 'disabled' };
  return { maxBatchSize, batching: dynamic === undefined ? 'static' : 'dynamic' };
}

/** Threads per instance from the backend's parameter; else the runtime's choice. */
function threadFields(config: ModelConfig): Tree {
  const threads = threadsOf(config);
  return threads > 0 ? { threads } : {};
}

export function repositoryOverrides(model: RepositoryModel, batched: boolean): Tree {
  const { config, version, folderName } = model;
  const dynamic = config.dynamicBatching;
  const delay = Number(dynamic?.maxQueueDelayMicroseconds ?? 0);
  const { maxBatchSize, batching } = batchingFields(model, batched);
  const modelName = config.name === '' ? folderName : config.name;
  return {
    configure: {
      ...(/^[A-Za-z0-9][\w.-]{0,127}$/.test(modelName) ? { modelName } : {}),
      modelVersion: version,
      maxBatchSize,
      batching,
      preferredBatchSizes: maxBatchSize === 0 ? [] : (dynamic?.preferredBatchSize ?? []),
      ...(Number.isSafeInteger(delay) ? { maxQueueDelayUs: delay } : {}),
      ...(maxBatchSize === 0 ? {} : queueFieldsOf(dynamic?.defaultQueuePolicy)),
      ...groupFields(config),
      ...threadFields(config),
      ...patched(config),
    },
    // The sequence batcher takes one item per request and batches sequences itself.
    performance: { batchSizes: measured(traitsOf(config).sequences ? 1 : maxBatchSize) },
  };
}

/** Meaning of an instance_group that is more than a count; null otherwise. */
function groupNote({ instanceGroup = [] }: ModelConfig): string | null {
  const [first, ...more] = instanceGroup;
  const gpus = instanceGroup.flatMap((group) => group.gpus ?? []);
  if (first === undefined || (more.length === 0 && gpus.length === 0 && first.kind !== 'KIND_GPU'))
    return null;
  const { count = 1 } = first;
  const named = gpus.length === 0 ? '' : ` of GPUs ${[...new Set(gpus)].join(', ')}`;
  const groups = more.length === 0 ? `count ${count}${named}` : `${instanceGroup.length} groups${named}`;
  return `instance_group of config.pbtxt has ${groups}. A run makes ${count} instance${count === 1 ? '' : 's'} on each GPU that you choose, or on the CPU without one. Edit config.pbtxt in the form for another placement.`;
}

/** Fields that a run takes, by message; `true`: all below. */
const taken: Tree = {
  name: true,
  platform: true,
  backend: true,
  maxBatchSize: true,
  defaultModelFilename: true,
  sequenceBatching: true,
  modelTransactionPolicy: true,
  versionPolicy: { specific: true },
  // Named one by one.
  parameters: true,
  input: { name: true, dataType: true, dims: true },
  output: { name: true, dataType: true, dims: true },
  instanceGroup: { count: true, kind: true, gpus: true },
  dynamicBatching: {
    preferredBatchSize: true,
    maxQueueDelayMicroseconds: true,
    defaultQueuePolicy: {
      timeoutAction: true,
      defaultTimeoutMicroseconds: true,
      allowTimeoutOverride: true,
      maxQueueSize: true,
    },
  },
};

const isTree = (value: unknown): value is Tree =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Fields that a run lacks, by their names in config.pbtxt. */
function untaken(value: unknown, known: unknown, path: string): string[] {
  if (known === true) return [];
  if (known === undefined) return [path];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => untaken(item, known, path));
  if (!isTree(value) || !isTree(known)) return [path];
  return Object.entries(value).flatMap(([name, inner]) =>
    inner === undefined
      ? []
      : untaken(inner, known[name], path === '' ? textName(name) : `${path}.${textName(name)}`),
  );
}

function untakenParameters({ parameters = {} }: ModelConfig): string[] {
  return Object.keys(parameters)
    .filter((name) => !isThreadParameter(name))
    .map((name) => `parameters["${name}"]`);
}

function nameNote({ config, folderName }: RepositoryModel): string | null {
  const { name } = config;
  if (name === '' || name === folderName) return null;
  return `config.pbtxt calls the model "${name}", its folder is "${folderName}": in a repository, Triton requires the same name.`;
}

/** Parts of config.pbtxt that a run lacks, one sentence each. */
export function repositoryNotes(model: RepositoryModel, batched: boolean): string[] {
  const others = [...new Set(untaken(model.config, taken, '')), ...untakenParameters(model.config)];
  const completed = batched && isCompleted(model);
  return [
    nameNote(model),
    model.hasStrayConfig
      ? `${model.version}/config.pbtxt is not read: Triton reads the config.pbtxt beside the folder ${model.version}. Move it there if it is to apply.`
      : null,
    groupNote(model.config),
    completed
      ? `No tensors and no batch size are configured: Triton completes them with max_batch_size ${completedBatchSize} and dynamic batching, and the run does the same.`
      : null,
    others.length === 0 ? null : `Not taken over from config.pbtxt: ${others.join(', ')}.`,
  ].filter((note) => note !== null);
}

/** Triton's PyTorch backend takes a tensor by the position in its name, or by the name in forward. */
const placeOf = (name: string): number | null => {
  const match = /__(\d+)$/.exec(name);
  return match === null ? null : Number(match[1]);
};

/** The file's tensor for each of config.pbtxt; without matching names in order, as Triton does. */
function placesOf(known: ModelConfig['input'], names: readonly string[]): readonly number[] {
  const indexes = known.map(({ name }) =>
    names.includes(name) ? names.indexOf(name) : (placeOf(name) ?? -1),
  );
  return indexes.every((place) => place === -1) ? known.map((_, index) => index) : indexes;
}

/** Shapes and datatypes of a TorchScript model by its forward's names, from config.pbtxt; dynamic axes stay open. */
export function repositoryTensors({ config }: RepositoryModel, names: readonly string[]) {
  const shapes: Record<string, number[]> = {};
  const datatypes: Record<string, string> = {};
  const places = placesOf(config.input, names);
  for (const [index, tensor] of config.input.entries()) {
    const name = names[places[index] ?? -1];
    if (name === undefined) continue;
    datatypes[name] = (tensor.dataType ?? 'TYPE_FP32').replace('TYPE_', '');
    if (!tensor.dims.includes(-1)) shapes[name] = config.maxBatchSize > 0 ? [1, ...tensor.dims] : tensor.dims;
  }
  return { shapes, datatypes };
}

/** Gives TorchScript tensors the names in config.pbtxt, so that clients continue to work. */
export function withRepositoryNames(source: ModelSource, { config }: RepositoryModel): ModelSource {
  const named = <T extends { readonly name: string }>(tensors: readonly T[], known: ModelConfig['input']) => {
    const places = placesOf(
      known,
      tensors.map(({ name }) => name),
    );
    return tensors.map((tensor, index) => {
      const found = known[places.indexOf(index)];
      return found === undefined ? tensor : { ...tensor, name: found.name };
    });
  };
  return {
    ...source,
    inputs: named(source.inputs, config.input),
    outputs: named(source.outputs, config.output),
  };
}
