import type { ModelSource } from '../contract/run-spec';
import type { ModelConfig } from '../triton/model-config';
import { traitsOf } from '../triton/model-traits';
import type { RepositoryModel } from './read-repository';

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

/** Fields of config.pbtxt that a run takes over; the file says the rest. Pure. */
export function repositoryOverrides({ config, version }: RepositoryModel, batched: boolean): Tree {
  const group = config.instanceGroup?.[0];
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
      ...(group?.count === undefined ? {} : { instances: group.count }),
      ...patched(config),
    },
    // The sequence batcher takes one item a request, and makes batches of several sequences by itself.
    performance: { batchSizes: measured(traitsOf(config).sequences ? 1 : maxBatchSize) },
  };
}

/** What of config.pbtxt a run does not have, one sentence each. Pure. */
export function repositoryNotes({ config }: RepositoryModel, batched: boolean): string[] {
  const others = Object.entries(config)
    .filter(([name, value]) => !taken.has(name) && value !== undefined)
    .map(([name]) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return [
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
