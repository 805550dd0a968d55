import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';

/** Read size for sequential access. */
const windowBytes = 64 * 1024;
/** Read size after a seek: weights between small fields are skipped. */
const landingBytes = 4 * 1024;

/** Random access to large files in little memory. */
export class FileWindow {
  readonly size: number;
  private readonly fd: number;
  private readonly room = Buffer.alloc(windowBytes);
  private buffer = this.room.subarray(0, 0);
  private start = 0;

  /** Throws system errors; O_NONBLOCK avoids blocking on pipes and devices. */
  constructor(path: string) {
    this.fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(this.fd);
    if (!stats.isFile()) {
      closeSync(this.fd);
      throw new Error('no regular file');
    }
    this.size = stats.size;
  }

  /** Throws a RangeError outside the file. */
  byte(at: number): number {
    if (at < this.start || at >= this.start + this.buffer.length) this.load(at);
    const value = this.buffer[at - this.start];
    if (value === undefined) throw new RangeError(`The file ends before byte ${at}`);
    return value;
  }

  /** UTF-8. Throws a RangeError outside the file. */
  text(at: number, length: number): string {
    const offset = at - this.start;
    // From the buffer: a read per name would take seconds for millions.
    if (offset >= 0 && length >= 0 && offset + length <= this.buffer.length) {
      return this.buffer.toString('utf8', offset, offset + length);
    }
    return this.bytes(at, length).toString('utf8');
  }

  /** Copy. Throws a RangeError outside the file. */
  bytes(at: number, length: number): Buffer {
    if (at < 0 || length < 0 || at + length > this.size) {
      throw new RangeError(`The file ends before byte ${at + length}`);
    }
    const found = Buffer.alloc(length);
    let done = 0;
    while (done < length) {
      const count = readSync(this.fd, found, done, length - done, at + done);
      if (count === 0) throw new RangeError(`The file ends before byte ${at + length}`);
      done += count;
    }
    return found;
  }

  close(): void {
    closeSync(this.fd);
  }

  private load(at: number): void {
    const end = this.start + this.buffer.length;
    const jumped = at < end || at >= end + windowBytes;
    const length = Math.max(0, Math.min(jumped ? landingBytes : windowBytes, this.size - at));
    const count = length === 0 ? 0 : readSync(this.fd, this.room, 0, length, at);
    this.buffer = this.room.subarray(0, count);
    this.start = at;
  }
}

/** Throws model-file-invalid for unreadable or special files. */
export function openModelFile(path: string): FileWindow {
  try {
    return new FileWindow(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WorkbenchError('model-file-invalid', `The model file cannot be opened: ${why}`, {
      where: path,
      remedy: 'Use a readable regular file; folders, pipes and devices are not opened.',
      cause,
    });
  }
}

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Offset of the local header. */
  readonly offset: number;
}

/** ZIP signatures and sizes (APPNOTE 6.3.10). */
const endMark = 0x06054b50;
const endBytes = 22;
const entryMark = 0x02014b50;
const entryBytes = 46;
const localBytes = 30;
const largestComment = 65_535;
const zip64 = 0xffffffff;
/** Minimum of zlib. */
const leastChunk = 64;
const { directoryBytes: largestDirectory, textBytes: largestText } = fileLimits.torchscript;

/** Zip64 extra field: replacements for 0xffffffff values, in order. */
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

/** More entries than supported archives have. */
export class LargeDirectory extends Error {}

/** Reads the central directory. Throws an Error for invalid archives, and LargeDirectory. */
export function readZipDirectory(file: FileWindow): readonly ZipEntry[] {
  const tailStart = Math.max(0, file.size - endBytes - largestComment);
  const tail = file.bytes(tailStart, file.size - tailStart);
  let end = tail.length - endBytes;
  while (end >= 0 && tail.readUInt32LE(end) !== endMark) end -= 1;
  if (end < 0) throw new Error('no ZIP archive');
  let size = tail.readUInt32LE(end + 12);
  let start = tail.readUInt32LE(end + 16);
  if (start === zip64 || size === zip64) {
    // The zip64 locator precedes it.
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

/** Limits output to the declared size, against zip bombs. */
function inflated(raw: Buffer, { name, bytes }: ZipEntry): Buffer {
  try {
    // One chunk, because concatenation doubles memory.
    return inflateRawSync(raw, { maxOutputLength: Math.max(1, bytes), chunkSize: bytes + leastChunk });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw new Error(`${name} unpacks to more than the ${bytes} bytes that the archive states`, {
      cause: error,
    });
  }
}

/** Throws an Error for methods other than stored and deflated, a wrong size, and more than `mostBytes`. */
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
