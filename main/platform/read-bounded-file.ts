import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

/** Text of a file, or why it is not read: the end of a sentence that names the file. */
type BoundedFile = { readonly text: string } | { readonly problem: string };

/** The same as bytes. */
type BoundedBytes = { readonly bytes: Buffer } | { readonly problem: string };

const problems: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link',
  ENOENT: 'it does not exist',
  EISDIR: 'it is a folder',
  ENXIO: 'it is a socket or a device',
  EACCES: 'access is denied',
};

const problemOf = (error: unknown): { problem: string } => {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return { problem: problems[code] ?? `the system reports ${code}` };
};

/** A file can grow while it is read: one byte more than permitted shows it, and no further one is asked for. */
async function readUpTo(file: FileHandle, size: number, mostBytes: number): Promise<Buffer | null> {
  const buffer = Buffer.alloc(Math.min(size, mostBytes) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  return null;
}

interface BoundedOptions {
  /** A person named the path: links in it lead where they will. */
  readonly links?: 'follow';
}

/**
 * A file from outside: a regular one of at most `mostBytes`, reached by no link unless a person named it. Both are checked on
 * the opened file before anything is read; a pipe is not waited for, as O_NONBLOCK opens it at once.
 */
export async function readBoundedBytes(
  path: string,
  mostBytes: number,
  { links }: BoundedOptions = {},
): Promise<BoundedBytes> {
  let file: FileHandle;
  try {
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (links === 'follow' ? 0 : constants.O_NOFOLLOW);
    file = await open(path, flags);
  } catch (error) {
    return problemOf(error);
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { problem: 'it is not a regular file' };
    if (stats.size > mostBytes)
      return { problem: `it has ${stats.size} bytes, at most ${mostBytes} are read` };
    const bytes = await readUpTo(file, stats.size, mostBytes);
    return bytes === null ? { problem: 'it grows while it is read' } : { bytes };
  } catch (error) {
    return problemOf(error);
  } finally {
    await file.close();
  }
}

/** The same as text. */
export async function readBoundedFile(
  path: string,
  mostBytes: number,
  options: BoundedOptions = {},
): Promise<BoundedFile> {
  const found = await readBoundedBytes(path, mostBytes, options);
  return 'bytes' in found ? { text: found.bytes.toString('utf8') } : found;
}
