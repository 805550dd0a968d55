import { lstat, readdir, realpath, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, writeFileAtomic } from '../platform/files';
import { homePointerFile, readHomePointer, toolFolders } from '../platform/layout';
import { privateFile } from '../platform/private-home';
import { dataEntries, leftEntries, removeItems, usersOf } from './move-files';

/**
 * Removes what a move left in the old home, once the new one is in use: data that has not changed since it was copied and that the
 * new home has, tools that it has too, logs, Chromium's profile, and uv with its
 * cache. A folder that is empty then becomes a link to the new home, so that paths
 * which runs and specifications name stay valid. Done again by the next start where it was cut off.
 */
export async function finishMove(
  home: string,
  env: NodeJS.ProcessEnv,
  users: (folder: string) => Promise<readonly number[]> = usersOf,
): Promise<void> {
  const pointer = readHomePointer(env);
  if (pointer?.previous === undefined || pointer.home !== home || pointer.previous === home) return;
  const { previous, movedMs = 0 } = pointer;
  // A link to the new home is what an end that was cut off left: behind it is the only data.
  if (!(await exists(previous)) || (await realpath(previous)) === (await realpath(home))) {
    await forget(home, env);
    return;
  }
  // A program that was started before the move works there still.
  if ((await users(previous)).length > 0) return;
  await removeRest(previous, home, movedMs);
  if ((await readdir(previous)).length > 0) return;
  await putLink(previous, home);
  await forget(home, env);
}

/** A link to the new home in the place of the empty old one, which may itself have been a link to a folder. */
async function putLink(previous: string, home: string): Promise<void> {
  if ((await lstat(previous)).isSymbolicLink()) {
    const folder = await realpath(previous);
    await unlink(previous);
    // A mount point cannot be removed.
    await rmdir(folder).catch(() => undefined);
  } else await rmdir(previous);
  await symlink(home, previous);
}

/** What has a copy in the new home, and what the workbench makes anew there. */
async function removeRest(previous: string, home: string, movedMs: number): Promise<void> {
  const options = { from: previous, to: home, movedMs };
  const isGone = await removeItems(await dataEntries(previous), options);
  // This very program may run from there.
  if (process.execPath.startsWith(`${previous}/`)) return;
  for (const name of toolFolders)
    if (await exists(join(home, name))) await rm(join(previous, name), { recursive: true, force: true });
  if (!isGone) return;
  for (const name of await leftEntries(previous))
    await rm(join(previous, name), { recursive: true, force: true });
}

/** The pointer without what is to be removed. */
async function forget(home: string, env: NodeJS.ProcessEnv): Promise<void> {
  await writeFileAtomic(homePointerFile(env), `${JSON.stringify({ home }, null, 2)}\n`, privateFile);
}
