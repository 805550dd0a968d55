import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidInput, WorkbenchError } from '../contract/errors';
import {
  type Datatype,
  datatypeBytes,
  type InputData,
  isDatatype,
  type SampleDatatype,
} from '../contract/measured/input-data';
import { present } from '../contract/trees';
import { createRandom } from '../domain/random';
import { type InputRole, inputRole } from '../domain/run/input-roles';
import { requireLoad } from '../domain/run/load-rules';
import { shapeFinding } from '../domain/run/shape-finding';
import { makeFolder } from '../platform/files';
import { encodeTexts, encodeValues } from '../triton/encode-values';
import { namesRemedy } from '../triton/listed-models';
import { countToMake, mostMadeBytes } from '../triton/tensor';

interface InputTensor {
  readonly name: string;
  readonly datatype: string;
  /** As served; batch dimension first if the model batches. */
  readonly shape: readonly number[];
}

/** Upper half of a float32: 8 significant bits for [0, 1). */
function bfloat16(value: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return view.getUint16(0);
}

/** Rounds down in [0, 1); subnormal numbers become zero. */
function float16(value: number): number {
  if (value < 2 ** -14) return 0;
  const exponent = Math.floor(Math.log2(value));
  return ((exponent + 15) << 10) | Math.floor((value / 2 ** exponent - 1) * 1024);
}

type WriteValue = (buffer: Buffer, value: number, at: number) => void;

/** Upper bytes stay zero. */
const writeInteger: WriteValue = (buffer, value, at) => buffer.writeUInt8(Math.floor(value * 10), at);

const writers: Readonly<Record<Datatype, WriteValue>> = {
  FP64: (buffer, value, at) => buffer.writeDoubleLE(value, at),
  FP32: (buffer, value, at) => buffer.writeFloatLE(value, at),
  FP16: (buffer, value, at) => buffer.writeUInt16LE(float16(value), at),
  BF16: (buffer, value, at) => buffer.writeUInt16LE(bfloat16(value), at),
  BOOL: (buffer, value, at) => buffer.writeUInt8(value < 0.5 ? 0 : 1, at),
  UINT8: writeInteger,
  UINT16: writeInteger,
  UINT32: writeInteger,
  UINT64: writeInteger,
  INT8: writeInteger,
  INT16: writeInteger,
  INT32: writeInteger,
  INT64: writeInteger,
};

/** Little-endian values: floats in [0, 1), integers 0 to 9, which are valid indices of small tables. */
export function rawValues(datatype: Datatype, count: number, next: () => number): Buffer {
  const size = datatypeBytes[datatype];
  const write = writers[datatype];
  const buffer = Buffer.alloc(count * size);
  for (let index = 0; index < count; index += 1) write(buffer, next(), index * size);
  return buffer;
}

/** Default of perf_analyzer's --string-length. */
const textLength = 128;

/** Length of generated strings, or the text to use. */
interface StringsLike {
  readonly length?: number | undefined;
  readonly data?: string | undefined;
}

/** Lower-case text or the requested one; empty in mode `zero`. */
function rawTexts(
  count: number,
  mode: 'random' | 'zero',
  { length = textLength, data }: StringsLike,
  next: () => number,
): Buffer {
  if (mode === 'zero') return encodeTexts(Array.from({ length: count }, () => ''));
  if (data !== undefined) return encodeTexts(Array.from({ length: count }, () => data));
  const letter = () => String.fromCharCode(97 + Math.floor(next() * 26));
  return encodeTexts(Array.from({ length: count }, () => Array.from({ length }, letter).join('')));
}

const textBytes = ({ length = textLength, data }: StringsLike): number =>
  data === undefined ? length : Buffer.byteLength(data);

/** Throws input-invalid for shapes of unknown inputs, naming the known ones. */
export function requireShapedInputs(
  shapes: Readonly<Record<string, readonly number[]>>,
  inputs: readonly Pick<InputTensor, 'name'>[],
): void {
  const names = [...new Set(inputs.map(({ name }) => name))];
  const unknown = Object.keys(shapes).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw invalidInput('--shape', `No input is named "${unknown}"`, namesRemedy(unknown, names));
}

/**
 * Rejects shapes that every request would fail with, often because they include the batch dimension.
 * @param batched input shapes begin with the batch dimension; given ones do not
 * Throws input-invalid with the field of the shape.
 */
export function requireFittingShapes(
  shapes: Readonly<Record<string, readonly number[]>>,
  inputs: readonly InputTensor[],
  batched: boolean,
): void {
  for (const { name, shape } of inputs) {
    const given = shapes[name];
    const finding = given === undefined ? null : shapeFinding(name, given, batched ? shape.slice(1) : shape);
    if (finding !== null) requireLoad([{ ...finding, message: `${name}: ${finding.message}` }]);
  }
}

interface MadeTensor {
  readonly name: string;
  readonly datatype: SampleDatatype;
  /** Of one sample; -1 where the length of the sample counts. */
  readonly shape: readonly number[];
  /** Size along the axis that varies in the model, else along the last one. */
  readonly length: number;
  readonly role: InputRole | null;
}

/** Of each axis that is open the length of the sample. */
const sizesOf = (shape: readonly number[], length: number): number[] =>
  shape.map((size) => (size < 0 ? length : size));

/** Values by what the input means; null: any will do. */
function valuesByRole(
  { datatype, role }: MadeTensor,
  shape: readonly number[],
  length: number,
): Buffer | null {
  if (role === null) return null;
  const count = shape.reduce((product, size) => product * size, 1);
  const last = shape.at(-1) ?? 1;
  const valueAt: Readonly<Record<InputRole, (at: number) => number>> = {
    mask: () => 1,
    segment: () => 0,
    position: (at) => at % last,
    length: () => length,
  };
  const values = Array.from({ length: count }, (_unused, at) => valueAt[role](at));
  try {
    return encodeValues(datatype, values);
  } catch {
    // A length beyond the type.
    return null;
  }
}

/** Of what a `length` input says: of the first input that is none. */
const measuredLength = (tensors: readonly MadeTensor[]): number =>
  (tensors.find(({ role }) => role === null) ?? tensors.find(({ role }) => role !== 'length'))?.length ?? 1;

/** Sample by sample, so that the first is the same however many follow. @returns files by tensor */
async function writeSamples(
  tensors: readonly MadeTensor[],
  how: {
    readonly mode: 'random' | 'zero';
    readonly dir: string;
    readonly strings: StringsLike;
    readonly samples: number;
    readonly lengths: readonly number[];
    readonly next: () => number;
  },
): Promise<string[][]> {
  const { mode, dir, strings, samples, lengths, next } = how;
  const files: string[][] = tensors.map(() => []);
  let room = mostMadeBytes;
  for (let sample = 0; sample < samples; sample += 1) {
    const length = lengths[sample] ?? measuredLength(tensors);
    for (const [at, tensor] of tensors.entries()) {
      const { name, datatype } = tensor;
      const shape = sizesOf(tensor.shape, length);
      const each = datatype === 'BYTES' ? 4 + textBytes(strings) : datatypeBytes[datatype];
      const count = countToMake({ name, datatype, shape }, each, room);
      room -= count * each;
      const file = sample === 0 ? `${at}.bin` : `${at}-${sample}.bin`;
      const byRole = mode === 'zero' ? null : valuesByRole(tensor, shape, length);
      const raw =
        byRole ??
        (datatype === 'BYTES' ? rawTexts(count, mode, strings, next) : rawValues(datatype, count, next));
      await writeFile(join(dir, file), raw);
      files[at]?.push(file);
    }
  }
  return files;
}

interface MadeOptions {
  readonly batched: boolean;
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  /** Sizes of all dynamic dimensions without a shape, by sample. */
  readonly lengths?: readonly number[] | undefined;
}

/** Throws input-invalid for a type without values, and for a dimension that nothing sets. */
function madeTensor(tensor: InputTensor, { batched, shapes, lengths = [] }: MadeOptions): MadeTensor {
  const { name, datatype } = tensor;
  if (!isDatatype(datatype) && datatype !== 'BYTES') {
    throw new WorkbenchError('input-invalid', `Input ${name} is of type ${datatype}`, {
      remedy: `Values can be generated for ${[...Object.keys(datatypeBytes), 'BYTES'].join(', ')}.`,
    });
  }
  const own = tensor.shape.slice(batched ? 1 : 0);
  const shape = shapes[name] ?? own;
  if (lengths.length === 0 && shape.some((size) => size < 0)) {
    throw invalidInput(
      '--shape',
      `Input ${name} has dynamic dimensions [${shape.join(', ')}]`,
      `Set them, for example --shape ${name}:${shape.map((size) => (size < 0 ? 16 : size)).join(',')}`,
    );
  }
  const open = own.findIndex((size) => size < 0);
  const length = shape[open === -1 ? shape.length - 1 : open] ?? 1;
  return { name, datatype, shape, length, role: inputRole({ name, datatype, rank: shape.length }) };
}

/**
 * Generates input from a model's metadata.
 * Masks, segments, positions and lengths have values that fit the sample, by the names of the inputs.
 * @param shapes by input name without batch, for dynamic dimensions
 * Throws input-invalid for a dynamic dimension without shape, datatypes without raw form, and more than 1 GiB.
 */
export async function generateInput(
  tensors: readonly InputTensor[],
  options: MadeOptions & {
    readonly mode: 'random' | 'zero';
    readonly dir: string;
    readonly strings?: StringsLike | undefined;
    /** How many samples, each with values of its own; default 1, or one per length. */
    readonly samples?: number | undefined;
  },
): Promise<InputData> {
  await makeFolder(options.dir);
  const next = options.mode === 'zero' ? () => 0 : createRandom(20210721);
  const { strings = {}, lengths = [] } = options;
  const samples = lengths.length > 0 ? lengths.length : (options.samples ?? 1);
  const made = tensors.map((tensor) => madeTensor(tensor, options));
  if (lengths.length > 0 && !made.some(({ shape }) => shape.some((size) => size < 0))) {
    throw invalidInput(
      '--length-distribution',
      'No input has a dynamic dimension without a shape, which a length could set',
      'Leave the lengths out, or the --shape of the input that they are for.',
    );
  }
  const files = await writeSamples(made, { ...options, strings, samples, lengths, next });
  // What is behind the end of a shorter sample is left out by a mask of zeros.
  const isMasked = made.some(({ role, shape }) => role === 'mask' && shape.some((size) => size < 0));
  return {
    source: options.mode,
    tensors: made.map(({ name, datatype, shape }, at) => {
      const isOpen = shape.some((size) => size < 0);
      const shapes = isOpen ? lengths.map((length) => sizesOf(shape, length)) : undefined;
      const first = sizesOf(shape, lengths[0] ?? 1);
      const padding = isOpen && isMasked && datatype !== 'BYTES' ? 0 : undefined;
      return { name, datatype, shape: first, ...present({ shapes, padding }), files: files[at] ?? [] };
    }),
  };
}
