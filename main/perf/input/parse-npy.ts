import type { SampleDatatype } from '../../contract/measured/input-data';
import { fileLimits } from '../../contract/reader-limits';
import { shortText } from '../../platform/lines';
import { elementCount } from './wanted-tensor';

type Items = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** Copied for alignment. */
function itemsOf(data: Uint8Array, itemBytes: number): Items | null {
  const { buffer } = new Uint8Array(data);
  switch (itemBytes) {
    case 1:
      return new Uint8Array(buffer);
    case 2:
      return new Uint16Array(buffer);
    case 4:
      return new Uint32Array(buffer);
    case 8:
      return new BigUint64Array(buffer);
    default:
      return null;
  }
}

/** Calls `take(from, step, count, to)` per row of the last axis; positions in elements. */
function eachRow(
  shape: readonly number[],
  take: (from: number, step: number, count: number, to: number) => void,
): void {
  const strides: number[] = [];
  let stride = 1;
  for (const size of shape) {
    strides.push(stride);
    stride *= size;
  }
  const last = shape.length - 1;
  const [count = 0, step = 0] = [shape[last], strides[last]];
  const index = shape.map(() => 0);
  let from = 0;
  for (let to = 0; to < stride; to += count) {
    take(from, step, count, to);
    for (let axis = last - 1; axis >= 0; axis -= 1) {
      const [size = 0, width = 0] = [shape[axis], strides[axis]];
      const next = (index[axis] ?? 0) + 1;
      from += width;
      index[axis] = next;
      if (next < size) break;
      index[axis] = 0;
      from -= size * width;
    }
  }
}

/** Converts column-major to row-major. */
export function rowsOf(data: Buffer, shape: readonly number[], itemBytes: number): Buffer {
  const rows = Buffer.alloc(data.length);
  const items = itemsOf(data, itemBytes);
  if (items === null) {
    eachRow(shape, (from, step, count, to) => {
      for (let at = 0; at < count; at += 1) {
        const [source, target] = [(from + at * step) * itemBytes, (to + at) * itemBytes];
        for (let byte = 0; byte < itemBytes; byte += 1) rows[target + byte] = data[source + byte] ?? 0;
      }
    });
    return rows;
  }
  const ordered = itemsOf(rows, itemBytes) ?? items;
  eachRow(shape, (from, step, count, to) => {
    for (let at = 0; at < count; at += 1) ordered[to + at] = items[from + at * step] ?? 0;
  });
  return Buffer.from(ordered.buffer);
}

/** A text's position without zero padding. */
interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Encodes fixed-size numpy texts as BYTES (4-byte length and content) in one buffer, scanning each text's end once. */
function encoded(
  data: Buffer,
  itemBytes: number,
  of: {
    readonly endsBefore: (span: TextSpan) => number;
    readonly sizeOf: (span: TextSpan) => number;
    readonly write: (span: TextSpan, into: Buffer, at: number) => void;
  },
): Buffer {
  const count = itemBytes === 0 ? 0 : Math.floor(data.length / itemBytes);
  const ends = new Float64Array(count);
  const sizes = new Float64Array(count);
  let bytes = 4 * count;
  for (let index = 0; index < count; index += 1) {
    const start = index * itemBytes;
    const end = of.endsBefore({ start, end: start + itemBytes });
    const size = of.sizeOf({ start, end });
    ends[index] = end;
    sizes[index] = size;
    bytes += size;
  }
  const buffer = Buffer.alloc(bytes);
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const size = sizes[index] ?? 0;
    buffer.writeUInt32LE(size, at);
    of.write({ start: index * itemBytes, end: ends[index] ?? 0 }, buffer, at + 4);
    at += 4 + size;
  }
  return buffer;
}

/** numpy's `S` (bytes). */
export function encodeFixedBytes(data: Buffer, itemBytes: number): Buffer {
  return encoded(data, itemBytes, {
    endsBefore({ start, end }) {
      let last = end;
      while (last > start && data[last - 1] === 0) last -= 1;
      return last;
    },
    sizeOf: ({ start, end }) => end - start,
    write({ start, end }, into, at) {
      data.copy(into, at, start, end);
    },
  });
}

const mostLetter = 0x10ffff;
const replacement = 0xfffd;

/** UTF-8 length of a code point. */
const widthOf = (letter: number): number =>
  letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;

function writeLetter(into: Buffer, at: number, letter: number): void {
  const width = widthOf(letter);
  if (width === 1) {
    into[at] = letter;
    return;
  }
  let rest = letter;
  for (let byte = width - 1; byte > 0; byte -= 1) {
    into[at + byte] = 0x80 | (rest & 0x3f);
    rest >>= 6;
  }
  into[at] = ((0xf00 >> width) & 0xff) | rest;
}

/** numpy's `U`: four bytes per code point. Throws an Error for an invalid code point. */
export function encodeFixedLetters(data: Buffer, itemBytes: number): Buffer {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const letterAt = (at: number): number => {
    const letter = view.getUint32(at, true);
    if (letter > mostLetter) throw new Error(`a text holds the number ${letter}, which is not a character`);
    // A lone surrogate.
    return letter >= 0xd800 && letter <= 0xdfff ? replacement : letter;
  };
  return encoded(data, itemBytes, {
    endsBefore({ start, end }) {
      let last = end;
      while (last > start && view.getUint32(last - 4, true) === 0) last -= 4;
      return last;
    },
    sizeOf({ start, end }) {
      let bytes = 0;
      for (let at = start; at < end; at += 4) bytes += widthOf(letterAt(at));
      return bytes;
    },
    write({ start, end }, into, first) {
      let to = first;
      for (let at = start; at < end; at += 4) {
        const letter = letterAt(at);
        writeLetter(into, to, letter);
        to += widthOf(letter);
      }
    },
  });
}

/** An array of numpy.save. */
export interface NpyArray {
  /** `<f4`, `|S5`. */
  readonly descr: string;
  /** Triton's datatype; null without an equivalent. */
  readonly datatype: SampleDatatype | null;
  readonly shape: readonly number[];
  /** Bytes per element in `data`. */
  readonly itemBytes: number;
  /** Little-endian, row-major. */
  readonly data: Buffer;
}

const magic = Buffer.from('\x93NUMPY', 'latin1');
/** numpy refuses longer headers. */
const longestHeader = 10_000;
const mostAxes = 64;
const { texts: mostTexts, columnBytes: mostColumnBytes } = fileLimits.inputData;

const datatypes: Readonly<Record<string, SampleDatatype>> = {
  b1: 'BOOL',
  u1: 'UINT8',
  u2: 'UINT16',
  u4: 'UINT32',
  u8: 'UINT64',
  i1: 'INT8',
  i2: 'INT16',
  i4: 'INT32',
  i8: 'INT64',
  f2: 'FP16',
  f4: 'FP32',
  f8: 'FP64',
  // numpy lacks bfloat16; packages save it as two untyped bytes.
  V2: 'BF16',
};

function shapeOf(axes: string): readonly number[] {
  const shape = axes
    .split(',')
    .map((part) => part.replace('L', '').trim())
    .filter((part) => part !== '')
    .map(Number);
  if (shape.length > mostAxes || !shape.every(Number.isSafeInteger))
    throw new Error(`a shape of (${shortText(axes)})`);
  return shape;
}

/** Source: numpy.lib.format, versions 1.0 to 3.0. */
function parseHeader(file: Buffer) {
  if (file.length < 12 || !file.subarray(0, magic.length).equals(magic))
    throw new Error('not an array of numpy.save');
  const major = file[6] ?? 0;
  if (major < 1 || major > 3) throw new Error(`version ${major} of the array format is not known`);
  const [length, start] = major === 1 ? [file.readUInt16LE(8), 10] : [file.readUInt32LE(8), 12];
  if (length > longestHeader || start + length > file.length)
    throw new Error('the array is cut off in its header');
  const text = file.toString('latin1', start, start + length);
  const [, descr] = /'descr':\s*'([^']*)'/.exec(text) ?? [];
  const [, fortran] = /'fortran_order':\s*(True|False)/.exec(text) ?? [];
  const [, axes] = /'shape':\s*\(([\d\s,L]*)\)/.exec(text) ?? [];
  if (descr === undefined)
    throw new Error('the array has fields (a structured type); save one array per tensor');
  if (fortran === undefined || axes === undefined) throw new Error('the header of the array cannot be read');
  const shape = shapeOf(axes);
  return { descr, fortran: fortran === 'True', shape, dataAt: start + length };
}

function swap(data: Buffer, bytes: number): void {
  if (bytes === 2) data.swap16();
  else if (bytes === 4) data.swap32();
  else if (bytes === 8) data.swap64();
}

/** Triton's raw form of some elements; texts get length prefixes. */
export function rawElements(array: NpyArray, first: number, count: number): Buffer {
  const { itemBytes, data, descr } = array;
  const part = data.subarray(first * itemBytes, (first + count) * itemBytes);
  if (array.datatype !== 'BYTES') return part;
  return descr.charAt(1) === 'S' ? encodeFixedBytes(part, itemBytes) : encodeFixedLetters(part, itemBytes);
}

function typeOf(descr: string): { readonly order: string; readonly kind: string; readonly digits: string } {
  const [, order, kind = '', digits = ''] = /^([<>|=])([a-zA-Z])(\d*)$/.exec(descr) ?? [];
  if (kind === 'O') throw new Error('the array holds Python objects; save texts with dtype "S" or "U"');
  if (order === undefined || digits === '') throw new Error(`a type of "${shortText(descr)}"`);
  return { order, kind, digits };
}

/** Parses numpy.save; converts big-endian and Fortran order, in place if possible. Throws an Error. */
export function parseNpy(file: Buffer): NpyArray {
  const { descr, fortran, shape, dataAt } = parseHeader(file);
  const { order, kind, digits } = typeOf(descr);
  const size = Number(digits);
  const isText = kind === 'S' || kind === 'U';
  const itemBytes = kind === 'U' ? 4 * size : size;
  const wanted = elementCount(shape) * itemBytes;
  const found = file.length - dataAt;
  if (found !== wanted) {
    throw new Error(
      `the array has ${found} bytes where ${shortText(descr)} (${shortText(shape.join(', '))}) has ${wanted}`,
    );
  }
  const stored = file.subarray(dataAt);
  const elements = elementCount(shape);
  if (isText && elements > mostTexts)
    throw new Error(`the array has ${elements} texts, at most ${mostTexts} are read`);
  const byColumns = fortran && shape.length > 1;
  if (byColumns && wanted > mostColumnBytes) {
    throw new Error(
      `the array is stored column by column, of which at most ${mostColumnBytes} bytes are read; save numpy.ascontiguousarray of it`,
    );
  }
  if (order === '>') swap(stored, kind === 'U' ? 4 : itemBytes);
  return {
    descr,
    datatype: isText ? 'BYTES' : (datatypes[`${kind}${digits}`] ?? null),
    shape,
    itemBytes,
    data: byColumns ? rowsOf(stored, shape, itemBytes) : stored,
  };
}
