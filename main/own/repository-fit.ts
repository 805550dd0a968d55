import { basename, join } from 'node:path';
import type { WorkbenchError } from '../contract/errors';
import { nearestName } from '../contract/fields/nearest-name';
import type { ModelSource } from '../contract/run/run-spec';
import type { ModelConfig } from '../triton/model-config';
import { folderRefused } from './model-files';
import type { RepositoryModel } from './read-repository';

export type Side = 'input' | 'output';
type Declared = ModelConfig['input'][number];

export interface FileTensor {
  readonly name: string;
  /** Triton's, without TYPE_; null of one that requests cannot carry. */
  readonly datatype: string | null;
  /** With the batch axis; -1 if variable. null where not even the rank is known. */
  readonly shape: readonly number[] | null;
}

export interface FileTensors {
  readonly inputs: readonly FileTensor[];
  readonly outputs: readonly FileTensor[];
}

/** A change of config.pbtxt that removes a misfit (see config-editor.ts). */
export interface ConfigChange {
  readonly path: string;
  readonly value: unknown;
}

export interface Misfit {
  readonly side: Side;
  readonly name: string;
  readonly message: string;
  readonly remedy: string;
  /** In the words of Triton's ONNX Runtime backend. */
  readonly triton: string;
  readonly changes: readonly ConfigChange[];
  /** Field that it is about; absent: that of the first change. */
  readonly at?: string;
}

const shown = (axes: readonly number[]) => `[${axes.join(', ')}]`;
/** As Triton writes a shape. */
const dense = (axes: readonly number[]) => `[${axes.join(',')}]`;

export const typeName = (datatype: string): string => `TYPE_${datatype === 'BYTES' ? 'STRING' : datatype}`;

/** Filled or kept by the sequence batcher: in the file, but not in `input` and `output`. */
export function fedNames(config: ModelConfig): ReadonlySet<string> {
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

interface At {
  readonly side: Side;
  readonly index: number;
  readonly model: string;
  readonly config: ModelConfig;
  readonly file: FileTensors;
}

const sideOf = ({ inputs, outputs }: FileTensors, side: Side) => (side === 'input' ? inputs : outputs);

/** Serves the file as it is, without batching: every tensor gets the axes of the file. */
function withoutBatching({ config, file }: At): readonly ConfigChange[] {
  const dims = (side: Side) =>
    config[side].flatMap(({ name }, index) => {
      const shape = sideOf(file, side).find((tensor) => tensor.name === name)?.shape ?? null;
      return shape === null ? [] : [{ path: `${side}[${index}].dims`, value: shape }];
    });
  return [{ path: 'max_batch_size', value: 0 }, ...dims('input'), ...dims('output')];
}

function typeMisfit({ dataType = 'TYPE_INVALID', name }: Declared, found: FileTensor, at: At): Misfit | null {
  if (found.datatype === null) return null;
  const { side, index, model } = at;
  const type = typeName(found.datatype);
  if (dataType === 'TYPE_INVALID' || dataType === type) return null;
  return {
    ...{ side, name },
    message: `the ${side} ${name} is ${dataType} in config.pbtxt, but ${type} in the file`,
    remedy: `Write data_type: ${type}.`,
    triton: `unable to load model '${model}', configuration expects datatype ${dataType} for ${side} '${name}', model provides ${type}`,
    changes: [{ path: `${side}[${index}].data_type`, value: type }],
  };
}

/** null where the declared axes fit the file's. */
function shapeMisfit(declared: Declared, { shape }: FileTensor, at: At): Misfit | null {
  if (shape === null) return null;
  const { side, index, model, config } = at;
  const { maxBatchSize } = config;
  const { name, dims } = declared;
  const batch = shape[0];
  if (maxBatchSize > 0 && batch !== -1) {
    return {
      ...{ side, name },
      message: `max_batch_size is ${maxBatchSize}, but the first axis of the ${side} ${name} is ${batch ?? 'missing'} in the file ${shown(shape)}`,
      remedy: `Write max_batch_size: 0 and dims: ${shown(shape)}, or export the model with a first axis that varies.`,
      triton: `autofill failed for model '${model}': model does not support batching while non-zero max_batch_size is specified`,
      changes: withoutBatching(at),
    };
  }
  const axes = axesOf(declared, maxBatchSize);
  // Triton's backends take a fixed size for an input that varies, but not for an output.
  const isOpen = (axis: number) => side === 'input' && shape[axis] === -1;
  const fits =
    dims.length === 0 ||
    (axes.length === shape.length && axes.every((size, axis) => isOpen(axis) || size === shape[axis]));
  if (fits) return null;
  const wanted = maxBatchSize > 0 ? shape.slice(1) : shape;
  const whole =
    maxBatchSize > 0
      ? `(an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making complete shape ${dense(axes)})`
      : `(shape ${dense(axes)})`;
  return {
    ...{ side, name },
    message: `the ${side} ${name} has dims ${shown(dims)} in config.pbtxt, but ${shown(wanted)} in the file`,
    remedy: `Write dims: ${shown(wanted)}.`,
    triton: `model '${model}', tensor '${name}': the model expects ${shape.length} dimensions (shape ${dense(shape)}) but the model configuration specifies ${axes.length} dimensions ${whole}`,
    changes: [{ path: `${side}[${index}].dims`, value: wanted }],
  };
}

function unknownName(name: string, at: At): Misfit {
  const { side, index, file, config } = at;
  const names = sideOf(file, side).map((tensor) => tensor.name);
  const free = names.filter((known) => !config[side].some((other) => other.name === known));
  const near = free.length === 1 ? free[0] : (nearestName(name, names) ?? undefined);
  return {
    ...{ side, name },
    message: `the file has no ${side} "${name}"; it has ${names.join(', ')}`,
    remedy: near === undefined ? 'Write its names.' : `Write name: "${near}".`,
    triton: `unexpected inference ${side} '${name}', allowed ${side}s are: ${[...names].sort().join(', ')}`,
    at: `${side}[${index}].name`,
    changes: near === undefined ? [] : [{ path: `${side}[${index}].name`, value: near }],
  };
}

function misfitsOf(side: Side, of: Omit<At, 'side' | 'index'>): readonly Misfit[] {
  return of.config[side].flatMap((tensor, index) => {
    const at = { ...of, side, index };
    const own = sideOf(of.file, side).find(({ name }) => name === tensor.name);
    if (own === undefined) return [unknownName(tensor.name, at)];
    const found = [typeMisfit(tensor, own, at), shapeMisfit(tensor, own, at)];
    return found.filter((one) => one !== null);
  });
}

/** Found before any tensor: Triton takes a file without batch axis as it is. */
function batchMisfit({ config, file, model }: Omit<At, 'side' | 'index'>): readonly Misfit[] {
  const { maxBatchSize, input, output } = config;
  if (maxBatchSize === 0 || input.length + output.length > 0) return [];
  const all = (['input', 'output'] as const).flatMap((side) =>
    sideOf(file, side).map((tensor) => ({ side, ...tensor })),
  );
  const fixed = all.find(({ shape }) => shape !== null && shape[0] !== -1);
  if (fixed === undefined) return [];
  return [
    {
      ...{ side: fixed.side, name: fixed.name },
      message: `max_batch_size is ${maxBatchSize}, but the first axis of ${fixed.name} is ${fixed.shape?.[0] ?? 'missing'} in the file`,
      remedy: 'Write max_batch_size: 0, or export the model with a first axis that varies.',
      triton: `autofill failed for model '${model}': model does not support batching while non-zero max_batch_size is specified`,
      changes: [{ path: 'max_batch_size', value: 0 }],
    },
  ];
}

/** Inputs of the file that the configuration lacks, which Triton counts. */
function missingInputs({ config, file, model }: Omit<At, 'side' | 'index'>): readonly Misfit[] {
  if (config.input.length === 0) return [];
  const fed = fedNames(config);
  const missing = file.inputs.filter(
    ({ name }) => !fed.has(name) && !config.input.some((input) => input.name === name),
  );
  return missing.map(({ name, datatype, shape }, index) => ({
    ...{ side: 'input', name },
    message: `the file has an input "${name}" that config.pbtxt lacks`,
    remedy: 'Add it to input.',
    triton: `unable to load model '${model}', configuration expects ${config.input.length + fed.size} inputs, model provides ${file.inputs.length}`,
    at: 'input',
    changes:
      datatype === null || shape === null
        ? []
        : [
            {
              path: `input[${config.input.length + index}]`,
              value: {
                ...{ name, dataType: typeName(datatype) },
                dims: config.maxBatchSize > 0 ? shape.slice(1) : shape,
              },
            },
          ],
  }));
}

/** Where a configuration does not fit its file: names, types, axes, batching. Empty where it fits. */
export function tensorMisfits(model: string, config: ModelConfig, file: FileTensors): readonly Misfit[] {
  const of = { model, config, file };
  const found = [...misfitsOf('input', of), ...misfitsOf('output', of), ...batchMisfit(of)];
  // One that is called by a wrong name is in the configuration already.
  return found.some(({ message }) => message.startsWith('the file has no input'))
    ? found
    : [...found, ...missingInputs(of)];
}

/** An unknown name, type or axis; null where it fits. TorchScript files have no tensor names. */
export function repositoryMisfit(
  model: RepositoryModel,
  source: ModelSource,
  folder: string,
): WorkbenchError | null {
  const { config, file, kind, folderName } = model;
  if (kind === 'torchscript') return null;
  const [wrong] = tensorMisfits(folderName, config, source);
  if (wrong === undefined) return null;
  return folderRefused(
    join(folder, 'config.pbtxt'),
    `config.pbtxt does not fit ${basename(file)}: ${wrong.message}`,
    `${wrong.remedy} To run the file without this configuration, give the file: ${file}`,
  );
}
