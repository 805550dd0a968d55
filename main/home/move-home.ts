import { lstat, readdir, readlink, realpath, rm, rmdir, statfs, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { toWire, WorkbenchError } from '../contract/errors';
import { formatBytes } from '../contract/numbers';
import type { HomeMovePlan, HomeMoveWork } from '../contract/settings/storage';
import { exists, makeFolder, syncToDisk, writeFileAtomic } from '../platform/files';
import {
  type HomePointer,
  homePointerFile,
  isHomeFixed,
  readHomePointer,
  toolFolders,
} from '../platform/layout';
import { privateFile } from '../platform/private-home';
import {
  copyItems,
  dataEntries,
  isIn,
  leftEntries,
  listItems,
  removeItems,
  requireUnchanged,
  usersOf,
  verifyItems,
} from './move-files';

/** Marks a folder that is being copied to and may be cleared. */
const unfinishedMark = '.triton-workbench-move';
/** Left free for everything else. */
const reserveBytes = 256 * 1024 ** 2;

export interface HomeMoveOptions {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => Date;
  /** Throws while runs, deployments or downloads use the home. */
  readonly requireIdle: () => Promise<void>;
  readonly onWork: (work: HomeMoveWork) => void;
  readonly users?: (home: string) => Promise<readonly number[]>;
}

export interface HomeMove {
  plan(to: string): Promise<HomeMovePlan>;
  start(to: string): Promise<void>;
  cancel(): Promise<void>;
  work(): HomeMoveWork | null;
}

const refused = (message: string, where: string, remedy: string): WorkbenchError =>
  new WorkbenchError('input-invalid', message, { where, remedy });

/** `unfinished`: left by an earlier move; `link`: leads to the home. */
async function targetState(to: string, home: string): Promise<'free' | 'link' | 'unfinished' | 'taken'> {
  const found = await lstat(to).catch(() => null);
  if (found === null) return 'free';
  if (found.isSymbolicLink()) return resolve(dirname(to), await readlink(to)) === home ? 'link' : 'taken';
  if (!found.isDirectory()) return 'taken';
  const names = await readdir(to);
  if (names.length === 0) return 'free';
  return names.includes(unfinishedMark) ? 'unfinished' : 'taken';
}

async function existingFolder(path: string): Promise<string> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true || dirname(path) === path ? path : existingFolder(dirname(path));
}

/** Resolves a path that need not exist. */
const realPlace = (path: string): Promise<string> =>
  realpath(path).catch(async () =>
    dirname(path) === path ? path : join(await realPlace(dirname(path)), basename(path)),
  );

async function requireTarget(to: string, { home, env }: HomeMoveOptions): Promise<void> {
  if (!isAbsolute(to)) throw refused('The path is not absolute', to, 'Choose a folder.');
  const [realHome, realTo] = [await realPlace(home), await realPlace(to)];
  const isLink = (await targetState(to, home)) === 'link';
  if (isIn(home, to) || isIn(to, home) || (!isLink && (isIn(realHome, realTo) || isIn(realTo, realHome)))) {
    throw refused('A home cannot move into itself or above itself', to, 'Choose a folder elsewhere.');
  }
  // A clone's scripts set the variable to the home's actual place.
  if (isHomeFixed(home, env)) {
    const remedy = 'Unset the variable, or copy the home yourself and set it to the new folder.';
    throw refused('TRITON_WORKBENCH_HOME sets the home', 'TRITON_WORKBENCH_HOME', remedy);
  }
  if ((await targetState(to, home)) === 'taken') {
    throw refused('The folder is not empty', to, 'Choose an empty folder, or the name of a new one.');
  }
}

async function planMove(to: string, options: HomeMoveOptions): Promise<HomeMovePlan> {
  const { home } = options;
  await requireTarget(to, options);
  await options.requireIdle();
  const [other] = await (options.users ?? usersOf)(home);
  if (other !== undefined) {
    throw new WorkbenchError('run-busy', `Process ${other} uses the workbench home`, {
      where: home,
      remedy: 'Wait for it to end, or end it, then move the home.',
    });
  }
  const items = await listItems(home, await dataEntries(home));
  const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
  const { bavail, bsize } = await statfs(await existingFolder(to));
  const freeBytes = bavail * bsize;
  if (bytes + reserveBytes > freeBytes) {
    throw new WorkbenchError(
      'disk-full',
      `The home needs ${formatBytes(bytes)}, but only ${formatBytes(freeBytes)} are free`,
      { where: to, remedy: 'Choose a folder on another disk, or clean up first.' },
    );
  }
  const setUpAgain: string[] = [];
  for (const name of toolFolders) {
    if ((await lstat(join(home, name)).catch(() => null))?.isDirectory() === true) setUpAgain.push(name);
  }
  const files = items.filter(({ kind }) => kind !== 'folder').length;
  return { from: home, to, bytes, files, freeBytes, setUpAgain };
}

/** An empty folder with the mark. */
async function prepareTarget(to: string, home: string): Promise<void> {
  const state = await targetState(to, home);
  if (state === 'link') await unlink(to);
  await makeFolder(to);
  if (state === 'unfinished') await clearTarget(to);
  await writeFileAtomic(join(to, unfinishedMark), `${home}\n`, privateFile);
}

/** The mark goes last, so that an interrupted removal is recognized. */
async function clearTarget(to: string): Promise<void> {
  for (const name of await readdir(to).catch(() => [])) {
    if (name !== unfinishedMark) await rm(join(to, name), { recursive: true, force: true });
  }
  await rm(join(to, unfinishedMark), { force: true });
}

/** Whether the pointer names the folder or is unreadable: then nothing may be removed there. */
function isNamed(to: string, env: NodeJS.ProcessEnv): boolean {
  try {
    return readHomePointer(env)?.home === to;
  } catch {
    return true;
  }
}

/** Names the new home, which is on disk by now. A failure after the pointer was replaced still means that it has moved. */
async function commit(pointer: HomePointer, env: NodeJS.ProcessEnv): Promise<void> {
  const { home: to } = pointer;
  await rm(join(to, unfinishedMark), { force: true });
  for (const folder of [to, dirname(to)]) await syncToDisk(folder);
  try {
    await writeFileAtomic(homePointerFile(env), `${JSON.stringify(pointer, null, 2)}\n`, privateFile);
  } catch (error) {
    if (!isNamed(to, env)) throw error;
  }
}

/**
 * Moves the home: copies, verifies every file, then switches the pointer in the user's configuration. Until then the old
 * home is unchanged and valid; the next start removes what is left there.
 */
export function createHomeMove(options: HomeMoveOptions): HomeMove {
  const { home, env, now, onWork } = options;
  const state: { work: HomeMoveWork | null; stop: AbortController; ended: Promise<void> } = {
    work: null,
    stop: new AbortController(),
    ended: Promise.resolve(),
  };
  const show = (change: Partial<HomeMoveWork> & Pick<HomeMoveWork, 'status'>): void => {
    state.work = { to: '', doneBytes: 0, totalBytes: 0, problem: null, ...state.work, ...change };
    onWork(state.work);
  };
  const copyAll = async (to: string, signal: AbortSignal): Promise<void> => {
    await prepareTarget(to, home);
    const entries = await dataEntries(home);
    const items = await listItems(home, entries);
    const totalBytes = items.reduce((sum, item) => sum + item.bytes, 0);
    const counter = { bytes: 0, shown: 0 };
    const step = (status: 'copying' | 'verifying') => (bytes: number) => {
      counter.bytes += bytes;
      if (counter.bytes - counter.shown < totalBytes / 200) return;
      counter.shown = counter.bytes;
      show({ status, doneBytes: counter.bytes });
    };
    show({ status: 'copying', to, doneBytes: 0, totalBytes });
    await copyItems({ from: home, to, items, signal, onBytes: step('copying') });
    Object.assign(counter, { bytes: 0, shown: 0 });
    show({ status: 'verifying', doneBytes: 0 });
    // Later changes are newer than the copy and stay in the old home.
    const movedMs = now().getTime();
    await verifyItems({ from: home, to, items, signal, onBytes: step('verifying') });
    await options.requireIdle();
    await requireUnchanged({ from: home, items }, entries);
    await commit({ home: to, previous: home, movedMs }, env);
    show({ status: 'done', doneBytes: totalBytes });
  };
  return {
    plan: (to) => planMove(resolve(to), options),
    start: async (to) => {
      if (state.work !== null && ['copying', 'verifying', 'done'].includes(state.work.status)) {
        throw new WorkbenchError('run-busy', 'The home is already being moved', { where: basename(to) });
      }
      const target = resolve(to);
      const { bytes } = await planMove(target, options);
      state.stop = new AbortController();
      show({ status: 'copying', to: target, doneBytes: 0, totalBytes: bytes, problem: null });
      state.ended = copyAll(target, state.stop.signal).catch(async (error: unknown) => {
        if (!isNamed(target, env)) await clearTarget(target).catch(() => undefined);
        const { code, message } = toWire(error);
        if (code === 'cancelled') show({ status: 'cancelled' });
        else show({ status: 'failed', problem: message });
      });
    },
    cancel: async () => {
      state.stop.abort();
      await state.ended;
    },
    work: () => state.work,
  };
}

/**
 * Removes what a move left in the old home, once the new one is in use: unchanged data that the new home has, its tools,
 * logs, Chromium's profile, and uv with its cache. The empty folder becomes a link to the new home, which keeps stored
 * paths valid. An interrupted removal is repeated by the next start.
 */
export async function finishMove(
  home: string,
  env: NodeJS.ProcessEnv,
  users: (folder: string) => Promise<readonly number[]> = usersOf,
): Promise<void> {
  const pointer = readHomePointer(env);
  if (pointer?.previous === undefined || pointer.home !== home || pointer.previous === home) return;
  const { previous, movedMs = 0 } = pointer;
  // A link to the new home was left by an interrupted removal: the only data is behind it.
  if (!(await exists(previous)) || (await realpath(previous)) === (await realpath(home))) {
    await forget(home, env);
    return;
  }
  // A program started before the move still works there.
  if ((await users(previous)).length > 0) return;
  await removeRest(previous, home, movedMs);
  if ((await readdir(previous)).length > 0) return;
  await putLink(previous, home);
  await forget(home, env);
}

/** Replaces the empty old home, possibly a link itself, by a link to the new one. */
async function putLink(previous: string, home: string): Promise<void> {
  if ((await lstat(previous)).isSymbolicLink()) {
    const folder = await realpath(previous);
    await unlink(previous);
    // A mount point cannot be removed.
    await rmdir(folder).catch(() => undefined);
  } else await rmdir(previous);
  await symlink(home, previous);
}

/** Removes what is copied, and what the workbench recreates. */
async function removeRest(previous: string, home: string, movedMs: number): Promise<void> {
  const options = { from: previous, to: home, movedMs };
  const isGone = await removeItems(await dataEntries(previous), options);
  // This program may run from there.
  if (process.execPath.startsWith(`${previous}/`)) return;
  for (const name of toolFolders)
    if (await exists(join(home, name))) await rm(join(previous, name), { recursive: true, force: true });
  if (!isGone) return;
  for (const name of await leftEntries(previous))
    await rm(join(previous, name), { recursive: true, force: true });
}

/** Removes the pending removal from the pointer. */
async function forget(home: string, env: NodeJS.ProcessEnv): Promise<void> {
  await writeFileAtomic(homePointerFile(env), `${JSON.stringify({ home }, null, 2)}\n`, privateFile);
}
