import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open } from 'node:fs/promises';
import { WorkbenchError } from '../contract/errors';

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
    throw new WorkbenchError('input-invalid', `The file has ${size} bytes, at most ${mostBytes} are read`, {
      where: path,
    });
  } finally {
    await file.close();
  }
}
