import type { Datatype, SampleDatatype } from '../../contract/input-data';
import { datatypeBytes } from '../../contract/input-data';
import { bfloat16Bits, halfBits } from './half-floats';

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

/** What is wrong with one value of a JSON file; null when nothing is. */
function valueProblem(datatype: SampleDatatype, value: unknown): string | null {
  if (datatype === 'BYTES') return typeof value === 'string' ? null : 'is no text';
  if (datatype === 'BOOL') {
    return typeof value === 'boolean' || value === 0 || value === 1 ? null : 'is none of true, false, 1, 0';
  }
  if (typeof value !== 'number') return 'is no number';
  const range = integerRange[datatype];
  if (range === undefined) return null;
  if (!Number.isInteger(value)) return 'is no whole number';
  const [least, most] = range;
  if (value >= least && value <= most) return null;
  return datatype.endsWith('64')
    ? 'is out of range; give 64-bit numbers beyond 2^53 in base64'
    : `is out of range: ${least} to ${most}`;
}

function encodeNumber(buffer: Buffer, datatype: Datatype, value: number, at: number): void {
  switch (datatype) {
    case 'FP64':
      buffer.writeDoubleLE(value, at);
      return;
    case 'FP32':
      buffer.writeFloatLE(value, at);
      return;
    case 'FP16':
      buffer.writeUInt16LE(halfBits(value), at);
      return;
    case 'BF16':
      buffer.writeUInt16LE(bfloat16Bits(value), at);
      return;
    case 'UINT64':
      buffer.writeBigUInt64LE(BigInt(value), at);
      return;
    case 'INT64':
      buffer.writeBigInt64LE(BigInt(value), at);
      return;
    case 'BOOL':
    case 'UINT8':
      buffer.writeUInt8(value, at);
      return;
    case 'UINT16':
      buffer.writeUInt16LE(value, at);
      return;
    case 'UINT32':
      buffer.writeUInt32LE(value, at);
      return;
    case 'INT8':
      buffer.writeInt8(value, at);
      return;
    case 'INT16':
      buffer.writeInt16LE(value, at);
      return;
    case 'INT32':
      buffer.writeInt32LE(value, at);
      return;
  }
}

/** Texts in the raw form of BYTES: each is its length in four bytes, and its bytes. */
export function encodeTexts(texts: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const bytes = typeof text === 'string' ? Buffer.from(text) : text;
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.byteLength);
      return [length, bytes];
    }),
  );
}

/** Values of a JSON file as raw little-endian bytes. Throws an Error that names the first value that is not of the type. */
export function encodeValues(datatype: SampleDatatype, values: readonly unknown[]): Buffer {
  for (const [index, value] of values.entries()) {
    const wrong = valueProblem(datatype, value);
    if (wrong !== null) throw new Error(`value ${index} (${JSON.stringify(value)}) ${wrong}`);
  }
  if (datatype === 'BYTES') return encodeTexts(values.map(String));
  const size = datatypeBytes[datatype];
  const buffer = Buffer.alloc(values.length * size);
  for (const [index, value] of values.entries()) encodeNumber(buffer, datatype, Number(value), index * size);
  return buffer;
}
