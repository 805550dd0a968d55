import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileError } from './file-error';
import { makeFolder } from './make-folder';
import { temporaryBeside } from './temporary-files';

/**
 * Puts the bytes of a file, or the entries of a folder, on disk: without the latter a power cut can take a new file away,
 * however well its bytes were written.
 */
export async function syncToDisk(path: string): Promise<void> {
  const entry = await open(path, 'r');
  try {
    await entry.sync();
  } finally {
    await entry.close();
  }
}

/**
 * Old content or new content, never half: temporary file beside it, fsync, rename, fsync of the folder.
 * @param mode as the umask leaves it when absent.
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  mode?: number,
): Promise<void> {
  const folder = dirname(path);
  const temporary = temporaryBeside(path);
  try {
    await makeFolder(folder);
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncToDisk(folder);
  } catch (error) {
    // Below a file there is nothing to remove, and the first error is the reason.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw fileError(error, path);
  }
}

/**
 * What can be made again: old content or new content for every reader, but after a power cut perhaps neither. Spares the two
 * waits for the disk of {@link writeFileAtomic}.
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    await writeFile(temporary, content, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw fileError(error, path);
  }
}

/** Object keys sorted at every depth, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

/** SHA-256 (hex) of a plain value. */
export function hashValue(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** SHA-256 (hex) of a file's bytes. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

const ownBusiness: ReadonlySet<string> = new Set(['__pycache__', '.git']);

/**
 * Regular files below `root`, relative, sorted; `__pycache__` and `.git`, which change by themselves, left out, links not
 * followed.
 * A walk of our own: `recursive` of readdir is younger than Electron 25's Node.
 */
export async function listFiles(root: string): Promise<string[]> {
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!ownBusiness.has(entry.name)) await walk(path);
      } else if (entry.isFile()) found.push(path);
    }
  };
  await walk('');
  return found.sort();
}

/** SHA-256 (hex) over names and contents of a folder's files. */
export async function hashFolder(root: string): Promise<string> {
  const parts: string[] = [];
  for (const path of await listFiles(root)) parts.push(`${path}\0${await hashFile(join(root, path))}`);
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/** Bytes of all files in a folder, or of a file; links count as themselves. 0 where there is nothing. */
export async function bytesBelow(path: string): Promise<number> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.size;
  let bytes = 0;
  for (const name of await readdir(path).catch(() => [])) bytes += await bytesBelow(join(path, name));
  return bytes;
}

/** Whether something is at the path, also a link that leads nowhere. */
export const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}
