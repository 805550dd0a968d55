import { inflateRawSync } from 'node:zlib';
import { fileLimits } from '../contract/reader-limits';
import type { FileWindow } from './file-window';

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Of its local header. */
  readonly offset: number;
}

/** Signatures and sizes of the ZIP format (APPNOTE 6.3.10). */
const endMark = 0x06054b50;
const endBytes = 22;
const entryMark = 0x02014b50;
const entryBytes = 46;
const localBytes = 30;
const largestComment = 65_535;
const zip64 = 0xffffffff;
/** Of zlib. */
const leastChunk = 64;
const { directoryBytes: largestDirectory, textBytes: largestText } = fileLimits.torchscript;

/** Extra field 1 of an entry: the 64-bit values that stand in place of 0xffffffff, in this order. */
function wide(extra: Buffer, wanted: readonly number[]): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let next = at + 4;
    return wanted.map((value) => {
      if (value !== zip64) return value;
      next += 8;
      return Number(extra.readBigUInt64LE(next - 8));
    });
  }
  return [...wanted];
}

/** More entries than any archive that is read here has. */
export class LargeDirectory extends Error {}

/** Central directory of an archive. Throws an Error where the file is none, and LargeDirectory. */
export function readZipDirectory(file: FileWindow): readonly ZipEntry[] {
  const tailStart = Math.max(0, file.size - endBytes - largestComment);
  const tail = file.bytes(tailStart, file.size - tailStart);
  let end = tail.length - endBytes;
  while (end >= 0 && tail.readUInt32LE(end) !== endMark) end -= 1;
  if (end < 0) throw new Error('no ZIP archive');
  let size = tail.readUInt32LE(end + 12);
  let start = tail.readUInt32LE(end + 16);
  if (start === zip64 || size === zip64) {
    // The locator stands right before; it names the 64-bit end record.
    const record = Number(tail.readBigUInt64LE(end - 20 + 8));
    const wideEnd = file.bytes(record, 56);
    size = Number(wideEnd.readBigUInt64LE(40));
    start = Number(wideEnd.readBigUInt64LE(48));
  }
  if (size > largestDirectory) {
    throw new LargeDirectory(`a directory of ${size} bytes, at most ${largestDirectory} are read`);
  }
  const directory = file.bytes(start, size);
  const entries: ZipEntry[] = [];
  for (let at = 0; at + entryBytes <= directory.length;) {
    if (directory.readUInt32LE(at) !== entryMark) throw new Error('a damaged directory');
    const nameBytes = directory.readUInt16LE(at + 28);
    const extraBytes = directory.readUInt16LE(at + 30);
    const nameEnd = at + entryBytes + nameBytes;
    const [bytes = 0, compressedBytes = 0, offset = 0] = wide(
      directory.subarray(nameEnd, nameEnd + extraBytes),
      [directory.readUInt32LE(at + 24), directory.readUInt32LE(at + 20), directory.readUInt32LE(at + 42)],
    );
    const name = directory.toString('utf8', at + entryBytes, nameEnd);
    entries.push({ name, method: directory.readUInt16LE(at + 10), compressedBytes, bytes, offset });
    at = nameEnd + extraBytes + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** Inflates no further than the directory states: a megabyte of deflated zeros is a gigabyte. */
function inflated(raw: Buffer, { name, bytes }: ZipEntry): Buffer {
  try {
    // Into one piece: several are held twice when they are put together.
    return inflateRawSync(raw, { maxOutputLength: Math.max(1, bytes), chunkSize: bytes + leastChunk });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw new Error(`${name} unpacks to more than the ${bytes} bytes that the archive states`, {
      cause: error,
    });
  }
}

/**
 * Content of an entry. Throws an Error for a method other than stored and deflated, for a content that is not of the stated
 * size, and above `mostBytes` (source text and short pickles where nothing else is said).
 */
export function readZipEntry(file: FileWindow, entry: ZipEntry, mostBytes = largestText): Buffer {
  if (entry.bytes > mostBytes || entry.compressedBytes > mostBytes) {
    throw new Error(`${entry.name} has ${entry.bytes} bytes, at most ${mostBytes} are read`);
  }
  if (entry.method !== 0 && entry.method !== 8) {
    throw new Error(`${entry.name} is packed by method ${entry.method}`);
  }
  const local = file.bytes(entry.offset, localBytes);
  const start = entry.offset + localBytes + local.readUInt16LE(26) + local.readUInt16LE(28);
  const raw = file.bytes(start, entry.compressedBytes);
  const content = entry.method === 0 ? raw : inflated(raw, entry);
  if (content.length !== entry.bytes) {
    throw new Error(`${entry.name} has ${content.length} bytes where the archive states ${entry.bytes}`);
  }
  return content;
}
