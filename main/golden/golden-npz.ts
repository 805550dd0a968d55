import crc32 from 'crc-32';
import { invalidInput } from '../contract/errors';
import { type GoldenHeader, goldenHeaderEntry, goldenHeaderSchema, goldenKind } from '../contract/golden';
import { FileWindow, readZipDirectory, readZipEntry } from '../platform/zip-directory';
import { bytesElements } from '../triton/decode-tensor';
import type { Tensor } from '../triton/tensor';
import type { GoldenSample } from './golden-samples';

/** numpy's types, little-endian. */
const descrs: Readonly<Record<string, string>> = {
  ...{ BOOL: '|b1', UINT8: '|u1', UINT16: '<u2', UINT32: '<u4', UINT64: '<u8' },
  ...{ INT8: '|i1', INT16: '<i2', INT32: '<i4', INT64: '<i8' },
  ...{ FP16: '<f2', BF16: '|V2', FP32: '<f4', FP64: '<f8' },
};

const noArray = (name: string, why: string) =>
  invalidInput(
    '--output',
    `${name} does not fit into an array of an npz file: ${why}`,
    'Name a .json file, which takes any.',
  );

/** numpy.lib.format 1.0: the header ends on a multiple of 64 bytes. */
function npy(descr: string, shape: readonly number[], data: Buffer): Buffer {
  const axes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${axes}), }`;
  const padded = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const head = Buffer.alloc(10);
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(padded, 8);
  return Buffer.concat([head, Buffer.from(`${text.padEnd(padded - 1)}\n`, 'latin1'), data]);
}

/** Texts of one width; numpy drops zeros at their end. */
function fixedTexts(
  name: string,
  tensors: readonly Tensor[],
): { readonly descr: string; readonly data: Buffer } {
  const texts = tensors.flatMap(bytesElements);
  if (texts.some((text) => text.at(-1) === 0)) throw noArray(name, 'a text ends with a zero byte');
  const width = texts.reduce((most, text) => Math.max(most, text.length), 1);
  const data = Buffer.alloc(width * texts.length);
  for (const [at, text] of texts.entries()) data.set(text, at * width);
  return { descr: `|S${width}`, data };
}

/** The same tensor of every sample, the samples along the first axis. */
function stacked(name: string, tensors: readonly Tensor[], batched: boolean): Buffer {
  const [first] = tensors;
  if (first === undefined) throw noArray(name, 'it has no values');
  const other = tensors.find(({ shape }) => shape.join() !== first.shape.join());
  if (other !== undefined) {
    throw noArray(
      name,
      `its samples have the shapes [${first.shape.join(', ')}] and [${other.shape.join(', ')}]`,
    );
  }
  if (batched && first.shape[0] !== 1) throw noArray(name, `a request has ${first.shape[0]} samples`);
  const shape = [tensors.length, ...first.shape.slice(batched ? 1 : 0)];
  if (first.datatype === 'BYTES') {
    const { descr, data } = fixedTexts(name, tensors);
    return npy(descr, shape, data);
  }
  const descr = descrs[first.datatype];
  if (descr === undefined) throw noArray(name, `numpy has no ${first.datatype}`);
  return npy(descr, shape, Buffer.concat(tensors.map(({ data }) => data)));
}

/** A ZIP archive of stored entries, which numpy reads in place. */
function archive(entries: readonly (readonly [name: string, content: Buffer])[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of entries) {
    const title = Buffer.from(name);
    // Version, flags (UTF-8 names), method, time and date of 1980-01-01, then what both headers have.
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(0x0800, 2);
    shared.writeUInt16LE(0x21, 8);
    shared.writeUInt32LE(crc32.buf(content) >>> 0, 10);
    shared.writeUInt32LE(content.length, 14);
    shared.writeUInt32LE(content.length, 18);
    shared.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared]);
    const entry = Buffer.alloc(46);
    entry.write('PK\x01\x02\x14\x00', 'latin1');
    shared.copy(entry, 6);
    entry.writeUInt32LE(offset, 42);
    parts.push(local, title, content);
    directory.push(entry, title);
    offset += local.length + title.length + content.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

/** Throws input-invalid for what no array has: samples of different shapes. */
export function goldenNpz(
  header: Omit<GoldenHeader, 'kind' | 'version'>,
  samples: readonly GoldenSample[],
  batched: boolean,
): Buffer {
  const arrays = new Map<string, Tensor[]>();
  for (const { inputs, outputs } of samples) {
    for (const tensor of [...inputs, ...outputs]) {
      arrays.set(tensor.name, [...(arrays.get(tensor.name) ?? []), tensor]);
    }
  }
  const uneven = [...arrays].find(([, tensors]) => tensors.length !== samples.length);
  if (uneven !== undefined)
    throw noArray(uneven[0], 'it is an input and an output, or only some samples have it');
  const document = Buffer.from(JSON.stringify({ kind: goldenKind, version: 1, ...header }, null, 1));
  return archive([
    [goldenHeaderEntry, document],
    ...[...arrays].map(([name, tensors]) => [`${name}.npy`, stacked(name, tensors, batched)] as const),
  ]);
}

const mostHeaderBytes = 2 ** 20;

/** null: an archive of numpy.savez. Throws an Error for a damaged one. */
export function readNpzHeader(path: string): GoldenHeader | null {
  const file = new FileWindow(path);
  try {
    const entry = readZipDirectory(file).find(({ name }) => name === goldenHeaderEntry);
    if (entry === undefined) return null;
    return goldenHeaderSchema.parse(JSON.parse(readZipEntry(file, entry, mostHeaderBytes).toString('utf8')));
  } finally {
    file.close();
  }
}
