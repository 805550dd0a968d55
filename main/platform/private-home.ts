import { lstatSync, type Stats } from 'node:fs';
import { chmod, readdir, stat } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { makeFolder } from './files';
import { type HomeLayout, toolFolders } from './layout';

/** Owner only, regardless of umask. */
const privateFolder = 0o700;
export const privateFile = 0o600;
const ofOthers = 0o077;

/** Home entries of window and set-up, beyond the layout. */
const otherNames = ['window', 'setup-logs', 'uv', ...toolFolders];

/** Unreadable files that were set aside. */
const setAside = /^(?:settings|hosts)-unreadable-[-0-9TZ]+\.json$/;

/** Temporary, lease and turn files. */
const passing = /^(.+?)(?:\.[0-9a-f]{12}\.tmp|\.lease|\.turn)+$/;
/** A tool during installation or removal. */
const passingTool = /^(.+)\.(?:new|removed)$/;

/** Whether an entry is part of a home, temporary, or foreign (null). */
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

/** False if the folder has foreign entries: the user may have named /tmp as home. */
async function isOnlyHome(layout: HomeLayout): Promise<boolean> {
  const entryOf = homeEntry(layout);
  return (await readdir(layout.home)).every((name) => entryOf(name) !== null);
}

/** Removes group and other permissions of own entries. @returns whether there were any */
async function close(path: string, found: Stats, wanted: number): Promise<boolean> {
  if (found.uid !== process.getuid?.() || (found.mode & ofOthers) === 0) return false;
  await chmod(path, found.mode & wanted);
  return true;
}

/** At once: every command looks at a dozen. */
function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Throws input-invalid if the home or a parent is a file. */
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
 * Restricts the home to its owner, since it has models, data, consent and keys. Creates a missing one; leaves other
 * users' entries and external run folders (`--out`). Docker accesses it as root.
 * @returns entries that were accessible. Never throws
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
      const found = entryAt(folder);
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
      const found = entryAt(file);
      if (found?.isFile() === true && (await close(file, found, privateFile))) closed.push(file);
    }
    // Entries of a closed home were not accessible.
    return wasOpen ? closed : [];
  } catch {
    return closed;
  }
}

/** Message about exposed entries, or null. */
export function closedHomeText(layout: HomeLayout, closed: readonly string[]): string | null {
  if (closed.length === 0) return null;
  const what = closed.includes(layout.home) ? 'It' : closed.map((path) => basename(path)).join(', ');
  return `Other users of this machine had access to ${layout.home}. ${what} is now closed to them.`;
}
