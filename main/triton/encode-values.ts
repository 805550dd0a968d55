import { type Datatype, datatypeBytes, type SampleDatatype } from '../contract/measured/input-data';
import { fileLimits } from '../contract/reader-limits';
import { shortValue } from '../platform/lines';

/** Round half to even, for non-negative numbers. */
function roundEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}

const signBit = (value: number): number => (value < 0 || Object.is(value, -0) ? 0x8000 : 0);

/** Nearest binary16; infinity on overflow. */
function halfBits(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = signBit(value);
  const size = Math.abs(value);
  // Halfway between the largest binary16 and the next power of two.
  if (size >= 65_520) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | roundEven(size * 2 ** 24);
  let exponent = Math.floor(Math.log2(size));
  // log2 may round up just below a power of two.
  if (2 ** exponent > size) exponent -= 1;
  // A mantissa that rounds up to 1024 correctly carries into the exponent.
  return sign | (((exponent + 15) << 10) + roundEven((size / 2 ** exponent - 1) * 1024));
}

/** Shared, because there may be millions of values. */
const view = new DataView(new ArrayBuffer(4));

/** Nearest bfloat16: the upper half of a binary32. */
function bfloat16Bits(value: number): number {
  if (Number.isNaN(value)) return 0x7fc0;
  view.setFloat32(0, value);
  const bits = view.getUint32(0);
  const lower = bits & 0xffff;
  const upper = bits >>> 16;
  return lower > 0x8000 || (lower === 0x8000 && upper % 2 === 1) ? upper + 1 : upper;
}

const integerRange: Readonly<Partial<Record<Datatype, readonly [least: number, most: number]>>> = {
  UINT8: [0, 2 ** 8 - 1],
  UINT16: [0, 2 ** 16 - 1],
  UINT32: [0, 2 ** 32 - 1],
  UINT64: [0, Number.MAX_SAFE_INTEGER],
  INT8: [-(2 ** 7), 2 ** 7 - 1],
  INT16: [-(2 ** 15), 2 ** 15 - 1],
  INT32: [-(2 ** 31), 2 ** 31 - 1],
  INT64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

/** null if the value is valid. */
function valueProblem(datatype: SampleDatatype, value: unknown): string | null {
  if (datatype === 'BYTES') return typeof value === 'string' ? null : 'is not a string';
  if (datatype === 'BOOL') {
    return typeof value === 'boolean' || value === 0 || value === 1
      ? null
      : 'is not one of true, false, 1, 0';
  }
  if (typeof value !== 'number') return 'is not a number';
  const range = integerRange[datatype];
  if (range === undefined) return null;
  if (!Number.isInteger(value)) return 'is not a whole number';
  const [least, most] = range;
  if (value >= least && value <= most) return null;
  return datatype.endsWith('64')
    ? 'is out of range; use base64 for 64-bit numbers beyond 2^53'
    : `is out of range: ${least} to ${most}`;
}

const { texts: mostTexts } = fileLimits.inputData;

type Write = (view: DataView, at: number, value: number) => void;

const mostOfWord = 2 ** 32;
/** Two 32-bit halves, because millions of BigInts take seconds. Exact up to 2^53. */
const wide: Write = (view, at, value) => {
  view.setUint32(at, value % mostOfWord, true);
  view.setInt32(at + 4, Math.floor(value / mostOfWord), true);
};

const writes: Readonly<Record<Datatype, Write>> = {
  FP64: (view, at, value) => view.setFloat64(at, value, true),
  FP32: (view, at, value) => view.setFloat32(at, value, true),
  FP16: (view, at, value) => view.setUint16(at, halfBits(value), true),
  BF16: (view, at, value) => view.setUint16(at, bfloat16Bits(value), true),
  UINT64: wide,
  INT64: wide,
  BOOL: (view, at, value) => view.setUint8(at, value),
  UINT8: (view, at, value) => view.setUint8(at, value),
  UINT16: (view, at, value) => view.setUint16(at, value, true),
  UINT32: (view, at, value) => view.setUint32(at, value, true),
  INT8: (view, at, value) => view.setInt8(at, value),
  INT16: (view, at, value) => view.setInt16(at, value, true),
  INT32: (view, at, value) => view.setInt32(at, value, true),
};

/** Raw form of BYTES: 4-byte length and content of each text, in one buffer. */
export function encodeTexts(texts: readonly (string | Uint8Array)[]): Buffer {
  let bytes = 0;
  for (const text of texts) bytes += 4 + (text.length === 0 ? 0 : Buffer.byteLength(text));
  const buffer = Buffer.alloc(bytes);
  let at = 0;
  for (const text of texts) {
    // Empty texts are common; skipping the call saves most of the time.
    const length =
      text.length === 0 ? 0 : typeof text === 'string' ? buffer.write(text, at + 4) : text.length;
    if (typeof text !== 'string') buffer.set(text, at + 4);
    if (length > 0) buffer.writeUInt32LE(length, at);
    at += 4 + length;
  }
  return buffer;
}

/** Raw little-endian bytes. Throws an Error naming the first invalid value. */
export function encodeValues(datatype: SampleDatatype, values: readonly unknown[]): Buffer {
  for (let index = 0; index < values.length; index += 1) {
    const wrong = valueProblem(datatype, values[index]);
    if (wrong === null) continue;
    throw new Error(`value ${index} (${shortValue(values[index])}) ${wrong}`);
  }
  if (datatype === 'BYTES') {
    if (values.length > mostTexts) throw new Error(`${values.length} texts, at most ${mostTexts} are read`);
    // Validated above.
    return encodeTexts(values as readonly string[]);
  }
  const size = datatypeBytes[datatype];
  const buffer = Buffer.alloc(values.length * size);
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const write = writes[datatype];
  for (let index = 0; index < values.length; index += 1) write(view, index * size, Number(values[index]));
  return buffer;
}
