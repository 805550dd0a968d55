import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  lstat,
  lutimes,
  readdir,
  readlink,
  realpath,
  rm,
  rmdir,
  symlink,
  utimes,
} from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { hashFile, makeFolder, syncToDisk } from '../platform/files';
import { homeLayout, toolFolders } from '../platform/layout';
import { fileError } from '../platform/plain-entry';
import { homeEntry } from '../platform/private-home';
import { readProcessStat } from '../platform/process';

export const isIn = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

const parentOf = (pid: number): number => Number(readProcessStat(pid)?.[1] ?? 0);

/** This process, its ancestors and descendants: the window has several. */
function isOwn(pid: number, own: ReadonlySet<number>): boolean {
  for (let at = pid, steps = 0; at > 1 && steps < 64; at = parentOf(at), steps += 1) {
    if (own.has(at)) return true;
  }
  return false;
}

async function uses(pid: number, folder: string): Promise<boolean> {
  const at = `/proc/${pid}`;
  const fds = await readdir(join(at, 'fd')).catch(() => []);
  const links = [join(at, 'cwd'), join(at, 'exe'), ...fds.map((fd) => join(at, 'fd', fd))];
  for (const link of links) {
    if (isIn(folder, await readlink(link).catch(() => ''))) return true;
  }
  return false;
}

/** This user's other processes that have a file of the folder open, or run from or in it. Empty without /proc. */
export async function usersOf(folder: string): Promise<readonly number[]> {
  const real = await realpath(folder).catch(() => folder);
  const own = new Set([process.pid]);
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    if (!isOwn(pid, own) && pid !== process.ppid && (await uses(pid, real))) found.push(pid);
  }
  return found;
}

/** The window's own files; the rest is Chromium's, which has it open. */
const ofWindow: readonly string[] = ['window-state.json', 'registry-logins'];

/** Old logs, the application's own log, which stays open, and uv with its cache and Pythons. */
const notMoved: ReadonlySet<string> = new Set(['logs', 'setup-logs', 'uv']);

/** Data of the home, relative: without tools (set up again), logs, and Chromium's profile. */
export async function dataEntries(home: string): Promise<readonly string[]> {
  const entries: string[] = [];
  const entryOf = homeEntry(homeLayout(home));
  for (const name of (await readdir(home)).sort()) {
    if (entryOf(name) !== 'own') continue;
    if (name === 'window') entries.push(...ofWindow.map((file) => join(name, file)));
    else if (notMoved.has(name)) continue;
    else if (!toolFolders.includes(name) || (await lstat(join(home, name))).isSymbolicLink())
      entries.push(name);
  }
  return entries;
}

/** Removed with the old home: logs, Chromium's profile, and what the set-up fetches or leaves. */
export async function leftEntries(home: string): Promise<readonly string[]> {
  const entryOf = homeEntry(homeLayout(home));
  const names = await readdir(home);
  return names.filter((name) => name === 'window' || notMoved.has(name) || entryOf(name) === 'passing');
}

/** A file, link or folder; folders come before their content. */
interface Item {
  readonly path: string;
  readonly kind: 'file' | 'link' | 'folder';
  readonly bytes: number;
  readonly mode: number;
  readonly mtime: Date;
  readonly changedMs: number;
  /** Device and inode of a file with several hard links. */
  readonly shared: string | null;
}

/** Skips sockets and pipes, which belong to processes. */
export async function listItems(home: string, entries: readonly string[]): Promise<readonly Item[]> {
  const items: Item[] = [];
  const visit = async (path: string): Promise<void> => {
    const found = await lstat(join(home, path)).catch(() => null);
    if (found === null) return;
    const kind = found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'file';
    if (kind === 'file' && !found.isFile()) return;
    items.push({
      path,
      kind,
      bytes: kind === 'file' ? found.size : 0,
      mode: found.mode & 0o7777,
      mtime: found.mtime,
      changedMs: Math.max(found.mtimeMs, found.ctimeMs),
      shared: kind === 'file' && found.nlink > 1 ? `${found.dev}:${found.ino}` : null,
    });
    if (kind !== 'folder') return;
    for (const name of (await readdir(join(home, path))).sort()) await visit(join(path, name));
  };
  for (const entry of entries) await visit(entry);
  return items;
}

interface CopyOptions {
  readonly from: string;
  readonly to: string;
  readonly items: readonly Item[];
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

const stop = (signal: AbortSignal): void => {
  if (signal.aborted) throw new WorkbenchError('cancelled', 'The move was cancelled');
};

/** Links into the old home lead into the new one; relative links out of it would break. */
async function movedTarget(link: string, { from, to }: Pick<CopyOptions, 'from' | 'to'>): Promise<string> {
  const target = await readlink(link);
  const home = await realpath(from);
  if (!isAbsolute(target)) {
    const place = resolve(await realpath(dirname(link)), target);
    return isIn(home, place) ? target : place;
  }
  const old = [from, home].find((folder) => isIn(folder, target));
  return old === undefined ? target : `${to}${target.slice(old.length)}`;
}

async function copyOne(item: Item, options: CopyOptions, made: Map<string, string>): Promise<void> {
  const source = join(options.from, item.path);
  const target = join(options.to, item.path);
  if (item.kind === 'folder') {
    await makeFolder(target);
    await chmod(target, 0o700);
    return;
  }
  const folder = dirname(target);
  if ((await lstat(folder).catch(() => null)) === null) await makeFolder(folder);
  if (item.kind === 'link') {
    await symlink(await movedTarget(source, options), target);
    await lutimes(target, item.mtime, item.mtime);
    return;
  }
  const first = item.shared === null ? undefined : made.get(item.shared);
  if (first !== undefined) await link(first, target);
  else {
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    // Its original is removed later.
    await syncToDisk(target);
    await utimes(target, item.mtime, item.mtime);
    if (item.shared !== null) made.set(item.shared, target);
  }
}

/** Copies items into an empty folder, with modes, times, links and hard links. */
export async function copyItems(options: CopyOptions): Promise<void> {
  const made = new Map<string, string>();
  for (const item of options.items) {
    stop(options.signal);
    await copyOne(item, options, made).catch((error: unknown) => {
      throw fileError(error, join(options.to, item.path));
    });
    options.onBytes(item.bytes);
  }
  // Deepest first, as adding files changes a folder's time.
  const folders = options.items.filter(({ kind }) => kind === 'folder').toReversed();
  for (const { path, mtime, mode } of folders) {
    await chmod(join(options.to, path), mode);
    await syncToDisk(join(options.to, path));
    await utimes(join(options.to, path), mtime, mtime);
  }
}

const changed = (home: string, path: string): WorkbenchError =>
  new WorkbenchError('run-busy', `${path} changed while the home was copied`, {
    where: home,
    remedy: 'Close other programs that use the workbench home, then move it again.',
  });

/** Throws where a copy differs from its original. */
export async function verifyItems({ from, to, items, signal, onBytes }: CopyOptions): Promise<void> {
  for (const { path, kind, bytes } of items) {
    stop(signal);
    const copy = await lstat(join(to, path)).catch(() => null);
    if (copy === null) throw changed(from, path);
    if (kind === 'file' && (await hashFile(join(to, path))) !== (await hashFile(join(from, path))))
      throw changed(from, path);
    onBytes(bytes);
  }
}

/** Throws where the home has changed since it was listed. */
export async function requireUnchanged(
  { from, items }: Pick<CopyOptions, 'from' | 'items'>,
  entries: readonly string[],
): Promise<void> {
  const before = new Map(items.map((item) => [item.path, item]));
  for (const { path, kind, bytes, mtime } of await listItems(from, entries)) {
    const known = before.get(path);
    before.delete(path);
    const isSame = known?.bytes === bytes && known.mtime.getTime() === mtime.getTime();
    if (known === undefined || (kind === 'file' && !isSame)) throw changed(from, path);
  }
  const [gone] = before.keys();
  if (gone !== undefined) throw changed(from, gone);
}

/** For file systems with coarse times. */
const timeStepMs = 2000;

/** The new home has the copy, or its own later version of it. The very same file, by link or mount, is not a copy. */
async function hasCopy(item: Item, { from, to, movedMs }: RemoveOptions): Promise<boolean> {
  const copy = await lstat(join(to, item.path)).catch(() => null);
  const own = await lstat(join(from, item.path)).catch(() => null);
  if (copy === null || own === null || (copy.dev === own.dev && copy.ino === own.ino)) return false;
  if (item.kind === 'link') return copy.isSymbolicLink();
  if (!copy.isFile()) return false;
  const isSame = copy.size === item.bytes && Math.abs(copy.mtimeMs - item.mtime.getTime()) < timeStepMs;
  return isSame || copy.mtimeMs > movedMs;
}

interface RemoveOptions {
  readonly from: string;
  readonly to: string;
  readonly movedMs: number;
}

/** Removes unchanged items that the new home has, and empty folders. @returns whether nothing is left */
export async function removeItems(entries: readonly string[], options: RemoveOptions): Promise<boolean> {
  const { from, movedMs } = options;
  for (const item of (await listItems(from, entries)).toReversed()) {
    const path = join(from, item.path);
    if (item.kind === 'folder') await rmdir(path).catch(() => undefined);
    else if (item.changedMs <= movedMs && (await hasCopy(item, options))) await rm(path, { force: true });
  }
  return (await listItems(from, entries)).length === 0;
}
