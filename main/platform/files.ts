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

/** Age after which temporary files count as abandoned. */
const abandonedMs = 24 * 3600 * 1000;

const temporaryPattern = /\.(?:[0-9a-f]{8}|[0-9a-f]{12})\.tmp$|\.tmp\.pdf$/;

/** Unique name for a file that will be renamed to `path`. */
export const temporaryBeside = (path: string): string => `${path}.${randomBytes(6).toString('hex')}.tmp`;

/** Removes abandoned temporary files. Never rejects. */
export async function sweepTemporary(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!temporaryPattern.test(name)) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => null);
    if (found === null || Date.now() - found.mtimeMs < abandonedMs) continue;
    // Files of other users stay.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Node's order; the fallback is /tmp. */
const folderOf = (env: NodeJS.ProcessEnv): string =>
  env === process.env ? tmpdir() : (env['TMPDIR'] ?? env['TMP'] ?? env['TEMP']) || '/tmp';

/** Throws `code`, naming TMPDIR, if the program's temporary folder is missing or read-only. */
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

/** Throws `code`, naming TMPDIR, if none can be created. */
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

/** @returns false if nothing exists. Throws if the path cannot be a folder. */
async function isFolder(path: string, at: string): Promise<boolean> {
  try {
    if ((await stat(at)).isDirectory()) return true;
  } catch (error) {
    const code = errnoOf(error);
    // A parent is a file; the caller names it.
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
    // Created concurrently.
    if (code === 'EEXIST' && (await isFolder(path, at))) return;
    if (code === 'EEXIST') throw refused(path, at, `${at} is a link to something that does not exist`, error);
    if (code === 'ENOENT') throw refused(path, at, `${dirname(at)} does not accept new folders`, error);
    if (code === 'ENOSPC')
      throw new WorkbenchError('disk-full', `No space left for ${path}`, { where: path, cause: error });
    throw refused(path, at, refusalOf(code) ?? String(error), error);
  }
}

/**
 * Creates a folder with its parents. Use only this: Node's recursive mkdir loops where a file system answers ENOENT to
 * a new folder, as /proc does.
 * @returns created folders, outermost first. Throws file-unwritable, disk-full.
 */
export async function makeFolder(path: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let at = resolve(path); !(await isFolder(path, at)); at = dirname(at)) missing.unshift(at);
  for (const at of missing) await makeOne(path, at);
  return missing;
}

/** Syncs a file, or a folder's entries, without which a new file can vanish after a power failure. */
export async function syncToDisk(path: string): Promise<void> {
  const entry = await open(path, 'r');
  try {
    await entry.sync();
  } finally {
    await entry.close();
  }
}

/** Atomic and durable: temporary file, fsync, rename, fsync of the folder. @param mode default: by umask */
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
    // The first error is the cause.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw fileError(error, path);
  }
}

/** Checks early that {@link writeOutput} can write; creates the folder. */
export async function requireOutput(path: string): Promise<void> {
  await makeFolder(dirname(resolve(path)));
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() !== true) return;
  const remedy = 'Name a file in it.';
  throw new WorkbenchError('input-invalid', `${path} is a folder`, { where: path, remedy });
}

/** Atomic. Writes through links and into special files: renaming over /dev/null or /dev/stdout would replace them. */
export async function writeOutput(path: string, content: string | Uint8Array): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const found = await stat(target).catch(() => null);
  if (found === null || found.isFile() || found.isDirectory()) return writeFileAtomic(target, content);
  await writeFile(target, content).catch((error: unknown) => {
    throw fileError(error, path);
  });
}

/** Atomic but not durable, for files that can be regenerated; saves two fsyncs. */
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

/** Sorted keys, for comparison and hashing. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

/** SHA-256 (hex) of the canonical JSON. */
export function hashValue(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** Buffer sizes for small and large files. */
const [fewBytes, manyBytes] = [2 ** 16, 2 ** 20];

/** Size and SHA-256 (hex). Uses one buffer, because streams allocate per chunk. */
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

/** Relative paths, sorted, without `__pycache__`, `.git` and links. Electron 25's Node lacks recursive readdir. */
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

/** Folders without any entry, as relative paths, sorted; those that `listFiles` leaves out are none of them. */
export async function listEmptyFolders(root: string): Promise<string[]> {
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    if (entries.length === 0 && folder !== '') found.push(folder);
    for (const entry of entries) {
      if (entry.isDirectory() && !ownBusiness.has(entry.name)) await walk(join(folder, entry.name));
    }
  };
  await walk('');
  return found.sort();
}

/** SHA-256 (hex) over file names and contents. */
export async function hashFolder(root: string): Promise<string> {
  const parts: string[] = [];
  for (const path of await listFiles(root)) parts.push(`${path}\0${await hashFile(join(root, path))}`);
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/** Links count as themselves; 0 if missing. */
export async function bytesBelow(path: string): Promise<number> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.size;
  let bytes = 0;
  for (const name of await readdir(path).catch(() => [])) bytes += await bytesBelow(join(path, name));
  return bytes;
}

/** Bytes that deleting all of them frees; hard links count only if all are included. */
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

/** Also true for dangling links. */
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
