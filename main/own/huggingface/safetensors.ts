import { basename } from 'node:path';
import { fileLimits } from '../../contract/reader-limits';
import { isTree, type Tree } from '../../contract/trees';
import { shortText } from '../../platform/lines';
import { FileWindow } from '../../platform/zip-directory';
import { folderRefused } from '../model-files';
import { recognizedRefusal } from '../recognize-file';
import { parseLimitedJson } from './folder-files';

const most = fileLimits.huggingFace;

/** Bits per value, by the names of the format; smaller ones are of quantised weights. */
const bits: Readonly<Record<string, number>> = {
  ...{ BOOL: 8, U8: 8, I8: 8, U16: 16, I16: 16, U32: 32, I32: 32, U64: 64, I64: 64 },
  ...{ F16: 16, BF16: 16, F32: 32, F64: 64, C64: 64 },
  ...{ F8_E4M3: 8, F8_E5M2: 8, F8_E8M0: 8, F4: 4, F6_E2M3: 6, F6_E3M2: 6 },
};

export interface StoredTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
}

interface Placed extends StoredTensor {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

const lengthBytes = 8;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Counts of at most that many axes; null for anything else. */
function listOf(value: unknown, mostLength: number): readonly number[] | null {
  const list: readonly unknown[] | null = Array.isArray(value) ? value : null;
  return list !== null && list.length <= mostLength && list.every(isCount) ? list : null;
}

/** Throws an Error that says what is wrong with the entry. */
function placedOf(name: string, value: unknown): Placed {
  const entry: Tree = isTree(value) ? value : {};
  const { dtype, shape, data_offsets: offsets } = entry;
  const shown = `the tensor "${shortText(name)}"`;
  const size = typeof dtype === 'string' && Object.hasOwn(bits, dtype) ? bits[dtype] : undefined;
  if (typeof dtype !== 'string' || size === undefined) throw new Error(`${shown} has an unknown type`);
  const sizes = listOf(shape, most.axes);
  if (sizes === null) throw new Error(`${shown} has no valid shape`);
  const [begin, end] = listOf(offsets, 2) ?? [];
  if (begin === undefined || end === undefined || end < begin) throw new Error(`${shown} has no valid place`);
  const values = sizes.reduce((product, one) => product * one, 1);
  if (!Number.isSafeInteger(values) || (values * size) / 8 !== end - begin) {
    throw new Error(`${shown} has ${end - begin} bytes, which its shape does not need`);
  }
  return { name, dtype, shape: sizes, begin, end };
}

/** Tensors lie one behind the other from the end of the header to that of the file. Throws an Error. */
function checkPlaces(tensors: readonly Placed[], dataBytes: number): void {
  let at = 0;
  for (const { name, begin, end } of tensors.toSorted((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (begin < at) throw new Error(`the tensor "${shortText(name)}" overlaps another one`);
    if (begin > at) throw new Error(`no tensor covers the bytes before the tensor "${shortText(name)}"`);
    at = end;
  }
  if (at > dataBytes) throw new Error(`it has ${dataBytes} bytes of weights, and its header says ${at}`);
  if (at < dataBytes) throw new Error(`${dataBytes - at} bytes at its end belong to no tensor`);
}

/** Throws an Error that says why the header is not believed. */
function readHeader(file: FileWindow): readonly Placed[] {
  if (file.size < lengthBytes + 2) throw new Error('it is cut off');
  const length = file.bytes(0, lengthBytes).readBigUInt64LE();
  if (length > BigInt(file.size - lengthBytes)) throw new Error('its header is longer than the file');
  if (length > BigInt(most.headerBytes)) {
    throw new Error(`its header has ${length} bytes, at most ${most.headerBytes} are read`);
  }
  const header = parseLimitedJson(file.bytes(lengthBytes, Number(length)).toString('utf8'));
  if (!isTree(header)) throw new Error('its header is not an object');
  const entries = Object.entries(header).filter(([name]) => name !== '__metadata__');
  if (entries.length === 0) throw new Error('it has no tensors');
  if (entries.length > most.tensors) throw new Error(`it has more than ${most.tensors} tensors`);
  const placed = entries.map(([name, value]) => placedOf(name, value));
  checkPlaces(placed, file.size - lengthBytes - Number(length));
  return placed;
}

/** Tensors of a safetensors file by name, of its header; weights are not read. Throws model-folder-invalid. */
export function readSafetensors(path: string): ReadonlyMap<string, StoredTensor> {
  const file = new FileWindow(path);
  try {
    return new Map(readHeader(file).map(({ name, dtype, shape }) => [name, { dtype, shape }]));
  } catch (error) {
    // A pointer of Git LFS, or a page that a download got.
    const other = recognizedRefusal(path, 'safetensors');
    if (other !== null) throw folderRefused(path, other.message, other.remedy ?? '');
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = 'Download or copy the file again.';
    throw folderRefused(path, `${basename(path)} is not a valid safetensors file: ${reason}`, remedy);
  } finally {
    file.close();
  }
}
