import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { WorkbenchError } from '../contract/errors';

/** Bytes read at a time where the reading goes on. */
const windowBytes = 64 * 1024;
/** The same behind a jump: the weights between two small fields are stepped over, not read. */
const landingBytes = 4 * 1024;

/** Random access to a regular file of any size with little memory. */
export class FileWindow {
  readonly size: number;
  private readonly fd: number;
  private readonly room = Buffer.alloc(windowBytes);
  private buffer = this.room.subarray(0, 0);
  private start = 0;

  /** Throws the system's error; a pipe or device is not waited for, as O_NONBLOCK opens it at once. */
  constructor(path: string) {
    this.fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(this.fd);
    if (!stats.isFile()) {
      closeSync(this.fd);
      throw new Error('no regular file');
    }
    this.size = stats.size;
  }

  /** One byte. Throws a RangeError outside the file. */
  byte(at: number): number {
    if (at < this.start || at >= this.start + this.buffer.length) this.load(at);
    const value = this.buffer[at - this.start];
    if (value === undefined) throw new RangeError(`The file ends before byte ${at}`);
    return value;
  }

  /** Some bytes as UTF-8. Throws a RangeError outside the file. */
  text(at: number, length: number): string {
    const offset = at - this.start;
    // A file may have millions of names: a call of the system for each would take seconds.
    if (offset >= 0 && length >= 0 && offset + length <= this.buffer.length) {
      return this.buffer.toString('utf8', offset, offset + length);
    }
    return this.bytes(at, length).toString('utf8');
  }

  /** A copy of some bytes. Throws a RangeError outside the file. */
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

/** A model's file. Throws model-file-invalid where it cannot be opened or is not a regular file. */
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
