import { WorkbenchError } from '../../contract/errors';
import { datatypeBytes, isDatatype, type SampleDatatype } from '../../contract/measured/input-data';
import { fileLimits } from '../../contract/reader-limits';

/** An input or output of one sample. */
export interface WantedTensor {
  readonly name: string;
  readonly datatype: SampleDatatype;
  /** Without batch; -1 for variable dimensions. */
  readonly shape: readonly number[];
  /** Shape of entries without their own; absent: the model's. */
  readonly sample?: readonly number[] | undefined;
  /** Optional input of the model. */
  readonly optional?: boolean | undefined;
}

export interface WantedTensors {
  readonly inputs: readonly WantedTensor[];
  readonly outputs: readonly WantedTensor[];
}

/** Raw little-endian bytes, row-major. */
export interface SampleTensor {
  readonly shape: readonly number[];
  readonly data: Buffer;
}

export type InputEntry = ReadonlyMap<string, SampleTensor>;

export interface ReadInput {
  /** Several if the file has streams (sequences). */
  readonly streams: readonly (readonly InputEntry[])[];
  /** Expected outputs by entry, parallel to `streams`; null if not given. */
  readonly expected: readonly (readonly InputEntry[])[] | null;
  /** The class of each entry in the order of `streams`, '' where it has none; absent: none has. */
  readonly classes?: readonly string[];
}

/** Upper limits: input stays in memory while requests are built. */
export const { bytes: mostInputBytes, entries: mostEntries } = fileLimits.inputData;

export const elementCount = (shape: readonly number[]): number =>
  shape.reduce((product, size) => product * size, 1);

export const typeText = (datatype: string, shape: readonly number[]): string =>
  `${datatype} [${shape.join(', ')}]`;

const everyForm =
  'Input data is a JSON file, {"data": [{"INPUT": [values]}]}, an npz file, a table (.csv, .tsv) with a column for each input, or a folder with a file for each input, named after it.';

/** A problem with file, entry and tensor. */
export function inputProblem(where: string, message: string, remedy: string = everyForm): WorkbenchError {
  return new WorkbenchError('input-invalid', message, { where, remedy });
}

/** Tensors without the batch dimension. Throws combination-unsupported for types without a raw form here. */
export function wantedTensors(
  tensors: readonly { readonly name: string; readonly datatype: string; readonly shape: readonly number[] }[],
  options: { readonly batched: boolean; readonly optional?: ReadonlySet<string> },
): WantedTensor[] {
  return tensors.map(({ name, datatype, shape }) => {
    if (!isDatatype(datatype) && datatype !== 'BYTES') {
      throw new WorkbenchError('combination-unsupported', `Tensor ${name} is of type ${datatype}`, {
        remedy: `Supported types: ${[...Object.keys(datatypeBytes), 'BYTES'].join(', ')}.`,
      });
    }
    return {
      name,
      datatype,
      shape: shape.slice(options.batched ? 1 : 0),
      optional: options.optional?.has(name) ?? false,
    };
  });
}

/** Shapes of the inputs that vary, without the batch dimension. @param shapes with it */
export function varyingShapes(
  inputs: readonly { readonly name: string; readonly shape: readonly number[] }[],
  shapes: Readonly<Record<string, readonly number[]>>,
  batched: boolean,
): Record<string, readonly number[]> {
  const from = batched ? 1 : 0;
  return Object.fromEntries(
    inputs.flatMap(({ name, shape }) => {
      const given = shapes[name];
      return given === undefined || !shape.slice(from).includes(-1) ? [] : [[name, given.slice(from)]];
    }),
  );
}

/** null if the shape fits the model. */
export function shapeProblem(wanted: WantedTensor, shape: readonly number[]): string | null {
  const fits =
    shape.length === wanted.shape.length &&
    wanted.shape.every((size, axis) => size < 0 || size === shape[axis]);
  if (fits) return null;
  const batch = shape.length === wanted.shape.length + 1 ? ' without the batch dimension' : '';
  return `${wanted.name} has the shape [${shape.join(', ')}] where the model takes ${typeText(wanted.datatype, wanted.shape)}${batch}`;
}

/** Elements of a raw BYTES tensor; null if its lengths are inconsistent. */
export function textCount(data: Uint8Array): number | null {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let at = 0;
  let count = 0;
  for (; at + 4 <= data.byteLength; count += 1) at += 4 + view.getUint32(at, true);
  return at === data.byteLength ? count : null;
}

/** null if the byte length is valid. */
export function sizeProblem(
  { name, datatype }: Pick<WantedTensor, 'name' | 'datatype'>,
  { shape, data }: { readonly shape: readonly number[]; readonly data: Uint8Array },
): string | null {
  const count = elementCount(shape);
  if (datatype === 'BYTES') {
    const found = textCount(data);
    if (found === count) return null;
    return found === null
      ? `${name} is not a raw BYTES tensor: each element is a 4-byte little-endian length followed by its bytes`
      : `${name} has ${found} elements where ${typeText(datatype, shape)} has ${count}`;
  }
  const expected = count * datatypeBytes[datatype];
  if (data.byteLength === expected) return null;
  return `${name} has ${data.byteLength} bytes where ${typeText(datatype, shape)} has ${expected}`;
}
