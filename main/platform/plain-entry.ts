import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { invalidInput, WorkbenchError } from '../contract/errors';

/** Text of a file, or why it is not read: the end of a sentence that names the file. */
type BoundedFile = { readonly text: string } | { readonly problem: string };

/** The same as bytes. */
type BoundedBytes = { readonly bytes: Buffer } | { readonly problem: string };

const problems: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link',
  ENOENT: 'it does not exist',
  // Below a file there is nothing.
  ENOTDIR: 'it does not exist',
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

/** Why the system does not write there, in words; null for anything else. */
export function refusalOf(code: string | undefined): string | null {
  const words = code === undefined ? undefined : refusals[code];
  return words === undefined ? null : `${words} (${code ?? ''})`;
}

/** The system's refusal as an error that says what to do; anything else is passed on. */
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

/** How work in the background stands after it threw: cancelled, or failed. */
/** The system's reason below undici's "fetch failed". */
export function fetchReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error) {
    const { code } = cause as NodeJS.ErrnoException;
    return cause.message === '' ? (code ?? cause.name) : cause.message;
  }
  return error instanceof Error ? error.message : String(error);
}

/** What `lstat`, `fstat` and `readdir` say of an entry. */
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

/** Throws run-folder-unsafe for an entry of a run folder that is neither file nor folder. */
export function requirePlain(path: string, entry: Kinds): void {
  const kind = strangeKind(entry);
  if (kind !== null) throw unsafe(path, kind);
}

/** The same of a path, where something is there; links above it are not looked at. */
export async function requirePlainEntry(path: string): Promise<void> {
  const entry = await lstat(path).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  });
  if (entry !== null) requirePlain(path, entry);
}

/**
 * Opens a file of a run folder; a link is not followed, a pipe is not waited for. Throws run-folder-unsafe.
 * @param flags of `fs.constants`.
 */
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

/**
 * Text of a file of a run folder; what runs in a container can put anything in the place of what it is to write. Throws
 * run-folder-unsafe, input-invalid for more than `mostBytes`, and what the system says of a file that is missing.
 */
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
