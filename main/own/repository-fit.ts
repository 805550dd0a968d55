import { basename, join } from 'node:path';
import type { WorkbenchError } from '../contract/errors';
import type { ModelSource } from '../contract/run/run-spec';
import { nearestName } from '../platform/nearest-name';
import type { ModelConfig } from '../triton/model-config';
import { folderRefused } from './model-files';
import type { RepositoryModel } from './read-repository';

type Side = 'input' | 'output';
type Declared = ModelConfig['input'][number];
type OfFile = ModelSource['outputs'][number];

const shown = (axes: readonly number[]) => `[${axes.join(', ')}]`;

/** Filled or kept by the sequence batcher: in the file, but not in `input` and `output`. */
function fedNames(config: ModelConfig): ReadonlySet<string> {
  const { controlInput = [], state = [] } = (config['sequenceBatching'] ?? {}) as {
    controlInput?: readonly { name?: string }[];
    state?: readonly { inputName?: string; outputName?: string }[];
  };
  const names = [
    ...controlInput.map(({ name }) => name),
    ...state.flatMap((one) => [one.inputName, one.outputName]),
  ];
  return new Set(names.filter((name) => name !== undefined));
}

/** Axes that the model gets: those of `reshape`, after the batch. */
function axesOf({ dims, ...rest }: Declared, maxBatchSize: number): readonly number[] {
  const { shape } = (rest['reshape'] ?? {}) as { shape?: readonly unknown[] };
  const own = 'reshape' in rest ? (shape ?? []).map(Number) : dims;
  return maxBatchSize > 0 ? [-1, ...own] : own;
}

/** null where the declared tensor fits the file's. */
function misfit(
  side: Side,
  declared: Declared,
  found: OfFile,
  maxBatchSize: number,
): readonly [string, string] | null {
  const { name, dataType = 'TYPE_INVALID', dims } = declared;
  const type = `TYPE_${found.datatype === 'BYTES' ? 'STRING' : found.datatype}`;
  if (dataType !== 'TYPE_INVALID' && dataType !== type) {
    return [
      `the ${side} ${name} is ${dataType} in config.pbtxt, but ${type} in the file`,
      `Write data_type: ${type}.`,
    ];
  }
  const batch = found.shape[0];
  if (maxBatchSize > 0 && batch !== -1) {
    return [
      `max_batch_size is ${maxBatchSize}, but the first axis of the ${side} ${name} is ${batch ?? 'missing'} in the file ${shown(found.shape)}`,
      `Write max_batch_size: 0 and dims: ${shown(found.shape)}, or export the model with a first axis that varies.`,
    ];
  }
  const axes = axesOf(declared, maxBatchSize);
  const fits =
    dims.length === 0 ||
    (axes.length === found.shape.length &&
      axes.every((size, axis) => found.shape[axis] === -1 || size === found.shape[axis]));
  if (fits) return null;
  const wanted = maxBatchSize > 0 ? found.shape.slice(1) : found.shape;
  return [
    `the ${side} ${name} has dims ${shown(dims)} in config.pbtxt, but ${shown(wanted)} in the file`,
    `Write dims: ${shown(wanted)}.`,
  ];
}

function misfitOf(side: Side, declared: readonly Declared[], found: readonly OfFile[], config: ModelConfig) {
  for (const tensor of declared) {
    const names = found.map(({ name }) => name);
    const own = found.find(({ name }) => name === tensor.name);
    if (own === undefined) {
      const near = names.length === 1 ? names[0] : nearestName(tensor.name, names);
      return [
        `the file has no ${side} "${tensor.name}"; it has ${names.join(', ')}`,
        near === undefined || near === null ? 'Write its names.' : `Write name: "${near}".`,
      ] as const;
    }
    const wrong = misfit(side, tensor, own, config.maxBatchSize);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** Found before any tensor: Triton takes a file without batch axis as it is. */
function batchMisfit({ maxBatchSize, input, output }: ModelConfig, source: ModelSource) {
  if (maxBatchSize === 0 || source.batched || input.length + output.length > 0) return null;
  const fixed = [...source.inputs, ...source.outputs].find(({ shape }) => shape[0] !== -1);
  if (fixed === undefined) return null;
  return [
    `max_batch_size is ${maxBatchSize}, but the first axis of ${fixed.name} is ${fixed.shape[0] ?? 'missing'} in the file`,
    'Write max_batch_size: 0, or export the model with a first axis that varies.',
  ] as const;
}

/** An unknown name, type or axis; null where it fits. TorchScript files have no tensor names. */
export function repositoryMisfit(
  model: RepositoryModel,
  source: ModelSource,
  folder: string,
): WorkbenchError | null {
  const { config, file, kind } = model;
  if (kind === 'torchscript') return null;
  const fed = fedNames(config);
  const missing =
    config.input.length === 0
      ? undefined
      : source.inputs.find(
          ({ name }) => !fed.has(name) && !config.input.some((input) => input.name === name),
        );
  const wrong =
    misfitOf('input', config.input, source.inputs, config) ??
    misfitOf('output', config.output, source.outputs, config) ??
    batchMisfit(config, source) ??
    (missing === undefined
      ? null
      : ([`the file has an input "${missing.name}" that config.pbtxt lacks`, 'Add it to input.'] as const));
  if (wrong === null) return null;
  const [what, remedy] = wrong;
  return folderRefused(
    join(folder, 'config.pbtxt'),
    `config.pbtxt does not fit ${basename(file)}: ${what}`,
    `${remedy} To run the file without this configuration, give the file: ${file}`,
  );
}
