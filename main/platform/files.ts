import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  access,
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type ErrorCode, WorkbenchError } from '../contract/errors';
import { fileError, refusalOf } from './plain-entry';

/** What is being written lasts much less; what was killed meanwhile stays so long. */
const abandonedMs = 24 * 3600 * 1000;

const temporaryPattern = /\.(?:[0-9a-f]{8}|[0-9a-f]{12})\.tmp$|\.tmp\.pdf$/;

/** A name beside `path` that nobody else has, for what takes its place once it is whole. */
export const temporaryBeside = (path: string): string => `${path}.${randomBytes(6).toString('hex')}.tmp`;

/** Removes from the folder what writers left that were killed; nothing where there is no such folder. Never rejects. */
export async function sweepTemporary(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!temporaryPattern.test(name)) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => null);
    if (found === null || Date.now() - found.mtimeMs < abandonedMs) continue;
    // What another user owns stays.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Node's order: what holds where TMPDIR names nothing is /tmp. */
const folderOf = (env: NodeJS.ProcessEnv): string =>
  env === process.env ? tmpdir() : (env['TMPDIR'] ?? env['TMP'] ?? env['TEMP']) || '/tmp';

/**
 * Throws `code`, naming TMPDIR, where the folder for temporary files of a program with this environment does not exist
 * or cannot be written.
 */
export async function requireTemporaryFolder(env: NodeJS.ProcessEnv, code: ErrorCode): Promise<void> {
  const folder = folderOf(env);
  const fail = (message: string, cause?: unknown) =>
    new WorkbenchError(code, message, {
      remedy: `Set TMPDIR to a folder that exists and is writable, or create ${folder}, and try again.`,
      cause,
    });
  const found = await stat(folder).catch((cause: unknown) => {
    throw fail(`The folder for temporary files does not exist: ${folder} (TMPDIR).`, cause);
  });
  if (!found.isDirectory()) throw fail(`The path for temporary files is not a folder: ${folder} (TMPDIR).`);
  await access(folder, constants.W_OK | constants.X_OK).catch((cause: unknown) => {
    throw fail(`The folder for temporary files is not writable: ${folder} (TMPDIR).`, cause);
  });
}

/** A new folder for temporary files of this process. Throws `code`, naming TMPDIR, where none can be made. */
export async function makeTemporaryFolder(prefix: string, code: ErrorCode): Promise<string> {
  await requireTemporaryFolder(process.env, code);
  return mkdtemp(join(tmpdir(), prefix));
}

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

/** Before what takes hours: throws where {@link writeOutput} could not write the file at its end; its folder is made. */
export async function requireOutput(path: string): Promise<void> {
  await makeFolder(dirname(resolve(path)));
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() !== true) return;
  const remedy = 'Name a file in it.';
  throw new WorkbenchError('input-invalid', `${path} is a folder`, { where: path, remedy });
}

/**
 * A file where somebody asked for it, old content or new content: what a link leads to is written in place of the link, and
 * what is not a file takes the content itself. To rename a file over /dev/null or /dev/stdout takes it from everybody.
 */
export async function writeOutput(path: string, content: string | Uint8Array): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const found = await stat(target).catch(() => null);
  if (found === null || found.isFile() || found.isDirectory()) return writeFileAtomic(target, content);
  await writeFile(target, content).catch((error: unknown) => {
    throw fileError(error, path);
  });
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

/** Of most files all bytes, and of a large one a piece that keeps a disk busy. */
const [fewBytes, manyBytes] = [2 ** 16, 2 ** 20];

/**
 * Bytes and SHA-256 (hex) of what an open file holds. All of it goes through the same memory: a stream takes new memory for
 * each piece, and for a small file as much as for a large one.
 */
export async function contentOf(file: FileHandle): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let buffer = Buffer.allocUnsafeSlow(fewBytes);
  for (let bytes = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, bytes);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    hash.update(buffer.subarray(0, bytesRead));
    bytes += bytesRead;
    if (bytesRead === buffer.length && bytesRead < manyBytes) buffer = Buffer.allocUnsafeSlow(manyBytes);
  }
}

/** SHA-256 (hex) of a file's bytes. */
export async function hashFile(path: string): Promise<string> {
  const file = await open(path);
  try {
    return (await contentOf(file)).sha256;
  } finally {
    await file.close();
  }
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

/** Bytes that deleting all of these frees: those of a file with several names only where nothing else keeps one of them. */
export async function freedBytes(paths: readonly string[]): Promise<number> {
  const namesLeft = new Map<string, number>();
  const below = async (path: string): Promise<number> => {
    const found = await lstat(path).catch(() => null);
    if (found === null) return 0;
    if (found.isDirectory()) {
      let bytes = 0;
      for (const name of await readdir(path).catch(() => [])) bytes += await below(join(path, name));
      return bytes;
    }
    const id = `${found.dev}:${found.ino}`;
    const left = (namesLeft.get(id) ?? found.nlink) - 1;
    namesLeft.set(id, left);
    return left === 0 ? found.size : 0;
  };
  let bytes = 0;
  for (const path of new Set(paths)) bytes += await below(path);
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
