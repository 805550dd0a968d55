import { readdir, rm, rmdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, writeFileAtomic } from '../platform/files';
import { homePointerFile, readHomePointer } from '../platform/layout';
import { privateFile } from '../platform/private-home';
import { dataEntries, removeItems } from './move-files';
import { toolFolders } from './storage';

/**
 * Removes what a move left in the old home, once the new one is in use: data that has not changed since it was copied, tools
 * that the new home has too, logs, and Chromium's profile. A folder that is empty then becomes a link to the new home, so that paths
 * which runs and specifications name stay valid. Done again by the next start where it was cut off.
 */
export async function finishMove(home: string, env: NodeJS.ProcessEnv): Promise<void> {
  const pointer = readHomePointer(env);
  if (pointer?.previous === undefined || pointer.home !== home || pointer.previous === home) return;
  const { previous, movedMs = 0 } = pointer;
  if (!(await exists(previous))) {
    await forget(home, env);
    return;
  }
  const isGone = await removeItems(previous, await dataEntries(previous), movedMs);
  const inUse = process.execPath.startsWith(`${previous}/`);
  for (const name of toolFolders) {
    if (!inUse && (await exists(join(home, name))))
      await rm(join(previous, name), { recursive: true, force: true });
  }
  for (const name of ['window', 'logs', 'setup-logs'])
    if (isGone && !inUse) await rm(join(previous, name), { recursive: true, force: true });
  if ((await readdir(previous)).length > 0) return;
  await rmdir(previous);
  await symlink(home, previous);
  await forget(home, env);
}

/** The pointer without what is to be removed. */
async function forget(home: string, env: NodeJS.ProcessEnv): Promise<void> {
  await writeFileAtomic(homePointerFile(env), `${JSON.stringify({ home }, null, 2)}\n`, privateFile);
}
