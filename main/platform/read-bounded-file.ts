import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';

/** Text of a file, or why it is not read: the end of a sentence that names the file. */
export type BoundedFile = { readonly text: string } | { readonly problem: string };

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

/**
 * A text file from outside: a regular one, reached by no link, of at most `mostBytes`. Both are checked on the opened file
 * before anything is read; a pipe is not waited for, as O_NONBLOCK opens it at once.
 */
export async function readBoundedFile(path: string, mostBytes: number): Promise<BoundedFile> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    return problemOf(error);
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { problem: 'it is not a regular file' };
    if (stats.size > mostBytes)
      return { problem: `it has ${stats.size} bytes, at most ${mostBytes} are read` };
    const bytes = await readUpTo(file, stats.size, mostBytes);
    return bytes === null ? { problem: 'it grows while it is read' } : { text: bytes.toString('utf8') };
  } catch (error) {
    return problemOf(error);
  } finally {
    await file.close();
  }
}
