import { WorkbenchError } from '../contract/errors';
import { type Datatype, datatypeBytes } from '../contract/measured/input-data';

/** Little-endian; batch dimension first if any. */
export interface Tensor {
  readonly name: string;
  /** Triton's name: FP32, INT64, BYTES, ... */
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** null for BYTES, which has length prefixes. */
export function elementBytes(datatype: string): number | null {
  return datatype in datatypeBytes ? datatypeBytes[datatype as Datatype] : null;
}

/** Limit of generated data, whose shapes come from servers. */
export const mostMadeBytes = 2 ** 30;

/** Number of elements. Throws input-invalid for invalid dimensions, and above `mostBytes`. */
export function countToMake(
  { name, datatype, shape }: Pick<Tensor, 'name' | 'datatype' | 'shape'>,
  bytesEach: number,
  mostBytes = mostMadeBytes,
): number {
  const count = elementCount(shape);
  const dims = shape.length > 8 ? `${shape.slice(0, 8).join(', ')}, …` : shape.join(', ');
  if (shape.some((size) => !Number.isInteger(size) || size < 0)) {
    throw new WorkbenchError('input-invalid', `${name} has the dimensions [${dims}], which no tensor has`);
  }
  if (count * bytesEach > mostBytes) {
    throw new WorkbenchError(
      'input-invalid',
      `${name}, ${datatype} [${dims}], is larger than ${mostBytes / 2 ** 20} MiB`,
      { remedy: 'Check the shape that the server reports for this input.' },
    );
  }
  return count;
}

/** Zeros; for BYTES empty strings (4-byte length). Throws as `countToMake`. */
export function zeroTensor(
  name: string,
  datatype: string,
  shape: readonly number[],
  mostBytes = mostMadeBytes,
): Tensor {
  const each = elementBytes(datatype) ?? 4;
  const count = countToMake({ name, datatype, shape }, each, mostBytes);
  return { name, datatype, shape, data: new Uint8Array(count * each) };
}

/** IEEE 754 binary16 with NaN and infinities. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function readers(view: DataView): Readonly<Record<Datatype, (at: number) => number>> {
  return {
    BOOL: (at) => view.getUint8(at),
    UINT8: (at) => view.getUint8(at),
    UINT16: (at) => view.getUint16(at, true),
    UINT32: (at) => view.getUint32(at, true),
    UINT64: (at) => Number(view.getBigUint64(at, true)),
    INT8: (at) => view.getInt8(at),
    INT16: (at) => view.getInt16(at, true),
    INT32: (at) => view.getInt32(at, true),
    INT64: (at) => Number(view.getBigInt64(at, true)),
    FP16: (at) => halfToNumber(view.getUint16(at, true)),
    BF16: (at) => {
      // The upper half of a binary32.
      const single = new DataView(new ArrayBuffer(4));
      single.setUint16(2, view.getUint16(at, true), true);
      return single.getFloat32(0, true);
    },
    FP32: (at) => view.getFloat32(at, true),
    FP64: (at) => view.getFloat64(at, true),
  };
}

/** Integers beyond 2^53 lose precision. Throws inference-failed for missing bytes. */
export function tensorValues(tensor: Tensor): number[] {
  const size = elementBytes(tensor.datatype);
  if (size === null) {
    throw new WorkbenchError('inference-failed', `${tensor.name}: ${tensor.datatype} has no numeric values`);
  }
  const count = elementCount(tensor.shape);
  if (tensor.data.byteLength !== count * size) {
    throw new WorkbenchError(
      'inference-failed',
      `${tensor.name}: ${tensor.data.byteLength} bytes, but ${tensor.datatype} [${tensor.shape.join(', ')}] has ${count * size}`,
    );
  }
  const view = new DataView(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
  const read = readers(view)[tensor.datatype as Datatype];
  return Array.from({ length: count }, (_unused, index) => read(index * size));
}

/** Repeats rows along the first axis. */
export function repeatedRows(tensor: Tensor, rows: number): Tensor {
  const [have = 1, ...rest] = tensor.shape;
  if (have === rows || have === 0) return tensor;
  const bytes = tensor.data.byteLength / have;
  const data = new Uint8Array(rows * bytes);
  for (let row = 0; row < rows; row += have) {
    data.set(tensor.data.subarray(0, Math.min(have, rows - row) * bytes), row * bytes);
  }
  return { ...tensor, shape: [rows, ...rest], data };
}

/** One row; keeps the first axis. */
export function rowOf(tensor: Tensor, row: number): Tensor {
  const [have = 1, ...rest] = tensor.shape;
  const bytes = have === 0 ? 0 : tensor.data.byteLength / have;
  return { ...tensor, shape: [1, ...rest], data: tensor.data.subarray(row * bytes, (row + 1) * bytes) };
}
