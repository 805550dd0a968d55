import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { refusalOf } from './file-error';

const errnoOf = (error: unknown): string | undefined =>
  (error as NodeJS.ErrnoException | null)?.code ?? undefined;

function refused(path: string, at: string, reason: string, cause?: unknown): WorkbenchError {
  return new WorkbenchError('file-unwritable', `Cannot create the folder ${path}: ${reason}`, {
    where: at,
    remedy: 'Choose a folder that you can write to.',
    cause,
  });
}

/** @returns false when nothing is at the path. Throws what the system says of a path that cannot be a folder. */
async function isFolder(path: string, at: string): Promise<boolean> {
  try {
    if ((await stat(at)).isDirectory()) return true;
  } catch (error) {
    const code = errnoOf(error);
    // A part of the path is a file: the walk upwards names it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw refused(path, at, refusalOf(code) ?? String(error), error);
  }
  throw refused(path, at, `${at} is a file`);
}

async function makeOne(path: string, at: string): Promise<void> {
  try {
    await mkdir(at);
  } catch (error) {
    const code = errnoOf(error);
    // Made by another process in the meantime.
    if (code === 'EEXIST' && (await isFolder(path, at))) return;
    if (code === 'EEXIST') throw refused(path, at, `${at} is a link to something that does not exist`, error);
    if (code === 'ENOENT') throw refused(path, at, `${dirname(at)} does not accept new folders`, error);
    if (code === 'ENOSPC')
      throw new WorkbenchError('disk-full', `No space left for ${path}`, { where: path, cause: error });
    throw refused(path, at, refusalOf(code) ?? String(error), error);
  }
}

/**
 * The folder with all folders above it; nothing when it is there. The only place that makes folders: `recursive` of Node's
 * mkdir never ends where a file system says "no such file" to a new folder, as /proc does.
 * @returns the folders it made, outermost first.
 * Throws file-unwritable, disk-full.
 */
export async function makeFolder(path: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let at = resolve(path); !(await isFolder(path, at)); at = dirname(at)) missing.unshift(at);
  for (const at of missing) await makeOne(path, at);
  return missing;
}
