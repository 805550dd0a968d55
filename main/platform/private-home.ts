import type { Stats } from 'node:fs';
import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { makeFolder } from './files';
import { type HomeLayout, toolFolders } from './layout';

/** For the owner alone, whatever the umask. */
const privateFolder = 0o700;
export const privateFile = 0o600;
const ofOthers = 0o077;

/** Beside what the layout names: what the window and the set-up put into a home. */
const otherNames = ['window', 'setup-logs', 'uv', ...toolFolders];

/** A file of settings or hosts that was set aside. */
const setAside = /^(?:settings|hosts)-unreadable-[-0-9TZ]+\.json$/;

/** A file of the home while it is written, and who works on what. */
const passing = /^(.+?)(?:\.[0-9a-f]{12}\.tmp|\.lease|\.turn)+$/;
/** A tool that is being set up or removed. */
const passingTool = /^(.+)\.(?:new|removed)$/;

/** What an entry of a workbench home is, by its name: its own, there for a time, or null for somebody else's. */
export function homeEntry(layout: HomeLayout): (name: string) => 'own' | 'passing' | null {
  const names = Object.values(layout).map((path: string) => relative(layout.home, path).split('/')[0] ?? '');
  const own = new Set([...names.filter((name) => name !== ''), ...otherNames]);
  const isOfTool = (name: string) => toolFolders.includes(passingTool.exec(name)?.[1] ?? '');
  const isPassing = (base: string | undefined) => base !== undefined && (own.has(base) || base === 'setup');
  return (name) => {
    if (own.has(name) || setAside.test(name)) return 'own';
    return isOfTool(name) || isPassing(passing.exec(name)?.[1]) ? 'passing' : null;
  };
}

/** Nothing stands in the folder that a workbench home has not: somebody may have named /tmp as the home. */
async function isOnlyHome(layout: HomeLayout): Promise<boolean> {
  const entryOf = homeEntry(layout);
  return (await readdir(layout.home)).every((name) => entryOf(name) !== null);
}

/** Takes from others what they may do with it, where it is this user's. @returns whether they could do something. */
async function close(path: string, found: Stats, wanted: number): Promise<boolean> {
  if (found.uid !== process.getuid?.() || (found.mode & ofOthers) === 0) return false;
  await chmod(path, found.mode & wanted);
  return true;
}

/** Throws input-invalid where the home, or what it should be in, is a file: each part of the workbench would fail elsewhere. */
export async function requireHomeFolder(home: string): Promise<void> {
  const found = await stat(home).catch((error: unknown) => (error as NodeJS.ErrnoException).code);
  if (found === 'ENOTDIR' || (typeof found === 'object' && !found.isDirectory())) {
    throw new WorkbenchError('input-invalid', 'The workbench home is not a folder', {
      where: home,
      remedy: 'Set TRITON_WORKBENCH_HOME to a folder, or to a path that does not exist yet.',
    });
  }
}

/**
 * Keeps other users of the machine out of the home: models, data, trust and keys are in it. A home that is missing is made
 * so; one that was open is closed. Somebody else's is left as it is, and so are run folders elsewhere (`--out`). The engines
 * of Docker enter as root, and mount what a container may read.
 * @returns what others could come to before. Never throws: what cannot be used is told by what uses it.
 */
export async function keepHomePrivate(layout: HomeLayout): Promise<readonly string[]> {
  const closed: string[] = [];
  try {
    const made = await makeFolder(layout.home);
    if (made.length > 0) await chmod(layout.home, privateFolder);
    const home = await stat(layout.home);
    const wasOpen = (home.mode & ofOthers) !== 0;
    if ((await isOnlyHome(layout)) && (await close(layout.home, home, privateFolder)))
      closed.push(layout.home);
    for (const folder of [
      layout.runs,
      layout.trash,
      layout.drafts,
      layout.recordings,
      layout.engines,
      layout.logs,
    ]) {
      const found = await lstat(folder).catch(() => null);
      if (found?.isDirectory() === true && (await close(folder, found, privateFolder))) closed.push(folder);
    }
    for (const file of [
      layout.trusted,
      layout.approved,
      layout.runKey,
      layout.instance,
      layout.settings,
      layout.monitor,
    ]) {
      const found = await lstat(file).catch(() => null);
      if (found?.isFile() === true && (await close(file, found, privateFile))) closed.push(file);
    }
    // Below a home that is closed nobody came to them.
    return wasOpen ? closed : [];
  } catch {
    return closed;
  }
}

/** What others could see, for people; null: nothing. */
export function closedHomeText(layout: HomeLayout, closed: readonly string[]): string | null {
  if (closed.length === 0) return null;
  const what = closed.includes(layout.home) ? 'It' : closed.map((path) => basename(path)).join(', ');
  return `Other users of this machine had access to ${layout.home}. ${what} is now closed to them.`;
}
