import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, deflateRawSync } from 'node:zlib';
import { fileLimits } from '../../../main/contract/reader-limits';
import type { LimitFile } from './at-limit';

const { bytes: mostBytes, entries: mostEntries } = fileLimits.inputData;

interface Archive {
  readonly what: string;
  readonly descr: string;
  /** Of the array; the file is filled up to the limit where the last one is 0. */
  readonly shape: (items: number) => readonly number[];
  /** Of the tensor that the model takes. */
  readonly taken: readonly number[];
  readonly datatype: string;
  readonly itemBytes: number;
  readonly fortran?: true;
  readonly packed?: 'zeros' | 'stored blocks';
  /** Bytes of the array's file; the limit where nothing is said. */
  readonly bytes?: number;
  /** What the archive states where it is not so. */
  readonly stated?: number;
  readonly above?: true;
}

const headerBytes = 128;

function npyHeader(descr: string, shape: readonly number[], fortran: boolean): Buffer {
  const text = `{'descr': '${descr}', 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': (${shape.join(', ')},), }`;
  const start = Buffer.from('\x93NUMPY\x01\x00', 'latin1');
  const length = Buffer.alloc(2);
  const whole = Math.max(headerBytes, 64 * Math.ceil((text.length + 11) / 64));
  length.writeUInt16LE(whole - 10);
  return Buffer.concat([start, length, Buffer.from(`${text.padEnd(whole - 11)}\n`)]);
}

/** Deflated zeros of so many mebibytes, without holding them. */
function deflatedZeros(header: Buffer, bytes: number): Buffer {
  const flushed = (content: Buffer) => deflateRawSync(content, { finishFlush: constants.Z_FULL_FLUSH });
  const piece = flushed(Buffer.alloc(2 ** 20));
  const whole = Math.floor((bytes - header.length) / 2 ** 20);
  const rest = bytes - header.length - whole * 2 ** 20;
  return Buffer.concat([
    flushed(header),
    Buffer.alloc(piece.length * whole, piece),
    deflateRawSync(Buffer.alloc(rest)),
  ]);
}

const blockBytes = 65_535;

/** What deflate makes of noise: blocks as they are. */
function deflateBlocks(header: Buffer, bytes: number): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes; at += blockBytes) {
    const length = Math.min(blockBytes, bytes - at);
    const block = Buffer.alloc(5 + length, 7);
    block[0] = at + length === bytes ? 1 : 0;
    block.writeUInt16LE(length, 1);
    block.writeUInt16LE(0xffff - length, 3);
    if (at === 0) header.copy(block, 5);
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

interface ZipPart {
  readonly name: string;
  readonly method: 0 | 8;
  readonly content: Buffer;
  /** More zeros behind the content, which take no room on the disk. */
  readonly zeros: number;
  readonly stated: number;
}

async function writeZip(path: string, parts: readonly ZipPart[]): Promise<void> {
  const file = await open(path, 'w');
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, method, content, zeros, stated } of parts) {
    const packed = content.length + zeros;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed, 20);
    entry.writeUInt32LE(stated, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    const start = Buffer.concat([local, Buffer.from(name), content]);
    await file.write(start, 0, start.length, offset);
    directory.push(entry, Buffer.from(name));
    offset += start.length + zeros;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  const tail = Buffer.concat([central, end]);
  await file.write(tail, 0, tail.length, offset);
  await file.close();
}

function partOf({
  descr,
  shape,
  itemBytes,
  fortran,
  packed,
  bytes = mostBytes,
  stated = bytes,
}: Archive): ZipPart {
  const items = Math.floor((bytes - headerBytes) / itemBytes);
  const header = npyHeader(descr, shape(items), fortran === true);
  const name = 'X.npy';
  const rest = shape(items).reduce((product, size) => product * size, itemBytes);
  const whole = Math.min(header.length + rest, bytes);
  if (packed === 'zeros') return { name, method: 8, content: deflatedZeros(header, whole), zeros: 0, stated };
  if (packed !== undefined)
    return { name, method: 8, content: deflateBlocks(header, whole), zeros: 0, stated };
  return {
    name,
    method: 0,
    content: header,
    zeros: whole - header.length,
    stated: stated === bytes ? whole : stated,
  };
}

const archive = (of: Archive): LimitFile => ({
  what: of.what,
  ...(of.above === undefined ? {} : { above: of.above }),
  async make(dir) {
    const path = join(dir, 'in.npz');
    await writeZip(path, [partOf(of)]);
    return {
      ask: 'reader',
      name: 'inputCheck',
      path,
      input: {
        wanted: { inputs: [{ name: 'X', datatype: of.datatype, shape: of.taken }], outputs: [] },
        shapes: {},
      },
    };
  },
});

const flat = (items: number) => [items];
const u1 = { descr: '|u1', datatype: 'UINT8', itemBytes: 1 } as const;
const square = (items: number) => [32_768, Math.floor(items / 32_768)];

export const npzAtLimit = (): LimitFile[] => [
  archive({ ...u1, what: 'one tensor', shape: flat, taken: [-1] }),
  archive({ ...u1, what: 'one tensor, packed', shape: flat, taken: [-1], packed: 'zeros' }),
  archive({ ...u1, what: 'one tensor of noise, packed', shape: flat, taken: [-1], packed: 'stored blocks' }),
  archive({
    ...u1,
    what: 'as many entries as are permitted',
    shape: (items) => [mostEntries, Math.floor(items / mostEntries)],
    taken: [-1],
  }),
  archive({
    ...u1,
    what: 'as many empty entries as are permitted',
    shape: () => [mostEntries, 0],
    taken: [-1],
  }),
  archive({ ...u1, what: 'column by column', shape: square, taken: [-1, -1], fortran: true }),
  archive({
    ...u1,
    what: 'column by column, of many axes',
    shape: (items) => [...Array<number>(25).fill(2), Math.floor(items / 2 ** 25)],
    taken: Array<number>(26).fill(-1),
    fortran: true,
  }),
  archive({
    what: 'column by column, of 8 bytes',
    descr: '<f8',
    datatype: 'FP64',
    itemBytes: 8,
    shape: square,
    taken: [-1, -1],
    fortran: true,
  }),
  archive({
    what: 'other byte order',
    descr: '>f4',
    datatype: 'FP32',
    itemBytes: 4,
    shape: flat,
    taken: [-1],
  }),
  archive({
    what: 'other byte order of 8 bytes, packed',
    descr: '>f8',
    datatype: 'FP64',
    itemBytes: 8,
    shape: flat,
    taken: [-1],
    packed: 'zeros',
  }),
  archive({
    what: 'texts of one byte',
    descr: '|S1',
    datatype: 'BYTES',
    itemBytes: 1,
    shape: flat,
    taken: [-1],
  }),
  archive({
    what: 'texts of one letter',
    descr: '<U1',
    datatype: 'BYTES',
    itemBytes: 4,
    shape: flat,
    taken: [-1],
  }),
  archive({
    what: 'one text',
    descr: `|S${mostBytes - headerBytes}`,
    datatype: 'BYTES',
    itemBytes: mostBytes - headerBytes,
    shape: () => [1],
    taken: [1],
  }),
  archive({
    what: 'one text of letters',
    descr: `<U${mostBytes / 4 - 32}`,
    datatype: 'BYTES',
    itemBytes: mostBytes - headerBytes,
    shape: () => [1],
    taken: [1],
  }),
  archive({
    what: 'texts of a kilobyte',
    descr: '|S1024',
    datatype: 'BYTES',
    itemBytes: 1024,
    shape: flat,
    taken: [-1],
  }),
  archive({ ...u1, what: 'another type than the model takes', datatype: 'FP32', shape: flat, taken: [-1] }),
  archive({ ...u1, what: 'less than the shape has', shape: (items) => [items * 2], taken: [-1] }),
  archive({
    ...u1,
    what: 'a shape beyond all numbers',
    shape: () => Array<number>(60).fill(2 ** 50),
    taken: [-1],
    bytes: 2 ** 20,
  }),
  archive({
    ...u1,
    what: 'more than is stated, packed',
    shape: flat,
    taken: [-1],
    packed: 'zeros',
    stated: mostBytes - 1,
  }),
  archive({
    ...u1,
    what: 'less than is stated, packed',
    shape: flat,
    taken: [-1],
    packed: 'zeros',
    bytes: 2 ** 20,
    stated: mostBytes,
  }),
  archive({ ...u1, what: 'one byte more', shape: flat, taken: [-1], bytes: mostBytes + 1, above: true }),
  archive({ ...u1, what: 'one entry more', shape: () => [mostEntries + 1, 1], taken: [-1], above: true }),
];
