import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { invalidInput, WorkbenchError } from '../contract/errors';

/** Text, or why it was not read, as a sentence's end. */
type BoundedFile = { readonly text: string } | { readonly problem: string };

/** The same as bytes. */
type BoundedBytes = { readonly bytes: Buffer } | { readonly problem: string };

const problems: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link',
  ENOENT: 'it does not exist',
  // A parent is a file.
  ENOTDIR: 'it does not exist',
  EISDIR: 'it is a folder',
  ENXIO: 'it is a socket or a device',
  EACCES: 'access is denied',
};

const problemOf = (error: unknown): { problem: string } => {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return { problem: problems[code] ?? `the system reports ${code}` };
};

/** Reads one byte beyond the limit to detect growth. */
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
  /** The user named the path, so links are allowed. */
  readonly links?: 'follow';
}

/** An untrusted regular file of at most `mostBytes`, without links unless the user named it; does not block on pipes. */
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

const refusals: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'a folder of the path does not exist or does not accept new files',
  ENAMETOOLONG: 'a name in the path is too long',
  ELOOP: 'the path has too many symbolic links',
};

/** The reason in words, or null. */
export function refusalOf(code: string | undefined): string | null {
  const words = code === undefined ? undefined : refusals[code];
  return words === undefined ? null : `${words} (${code ?? ''})`;
}

/** Converts system errors on writing; passes others. */
export function fileError(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new WorkbenchError('disk-full', `No space left while writing ${path}`, {
      where: path,
      cause: error,
    });
  }
  const refusal = refusalOf(code);
  if (refusal === null) return error;
  return new WorkbenchError('file-unwritable', `Cannot write ${path}: ${refusal}`, { cause: error });
}

const networkWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name not resolved',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
};

/** The cause below undici's "fetch failed": "connection refused (ECONNREFUSED 127.0.0.1:8000)". */
export function fetchReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error) {
    const { code } = cause as NodeJS.ErrnoException;
    const text = cause.message === '' ? (code ?? cause.name) : cause.message;
    const words = networkWords[code ?? ''];
    return words === undefined ? text : `${words} (${text.replace(/^connect /, '')})`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** Type checks of `lstat`, `fstat` and `readdir` entries. */
interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

function unsafe(path: string, what: string, cause?: unknown): WorkbenchError {
  return new WorkbenchError('run-folder-unsafe', `${path} is ${what}, which is not read or written`, {
    where: path,
    remedy: 'Remove it. Its content is created again when the run continues.',
    cause,
  });
}

function strangeKind(entry: Kinds): string | null {
  if (entry.isFile() || entry.isDirectory()) return null;
  if (entry.isSymbolicLink()) return 'a link';
  if (entry.isFIFO()) return 'a pipe';
  return entry.isSocket() ? 'a socket' : 'a device';
}

/** Throws run-folder-unsafe unless it is a file or folder. */
export function requirePlain(path: string, entry: Kinds): void {
  const kind = strangeKind(entry);
  if (kind !== null) throw unsafe(path, kind);
}

/** Like `requirePlain` for an existing path; parents are not checked. */
export async function requirePlainEntry(path: string): Promise<void> {
  const entry = await lstat(path).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  });
  if (entry !== null) requirePlain(path, entry);
}

/** Does not follow links or block on pipes. Throws run-folder-unsafe. @param flags of `fs.constants` */
export async function openPlain(path: string, flags: number): Promise<FileHandle> {
  const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ELOOP') throw unsafe(path, 'a link', error);
      if (code === 'ENXIO') throw unsafe(path, 'a pipe or a socket', error);
      throw error;
    },
  );
  try {
    requirePlain(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Container code may have replaced the file. Throws run-folder-unsafe, input-invalid above `mostBytes`, ENOENT. */
export async function readPlainText(path: string, mostBytes: number): Promise<string> {
  const file = await openPlain(path, constants.O_RDONLY);
  try {
    const { size } = await file.stat();
    if (size <= mostBytes) return await file.readFile('utf8');
    throw invalidInput(path, `The file has ${size} bytes, at most ${mostBytes} are read`);
  } finally {
    await file.close();
  }
}
