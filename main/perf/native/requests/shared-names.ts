import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, ownIdentity } from '../../../platform/process-identity';
import { pidNamespace } from '../../../platform/process-place';

/** Where POSIX shared memory is files. */
export const sharedFolder = '/dev/shm';

const ownName = /^triton-workbench-(\d+)-(\d+)-(\d+)-[\da-f]{12}-(?:in|out)$/;

/** A name that nobody else has and that tells its owner: process id, its start time and the namespace of both. */
export function sharedName(): string {
  const { pid, startTime } = ownIdentity();
  return `triton-workbench-${pid}-${startTime}-${pidNamespace()}-${randomBytes(6).toString('hex')}`;
}

/**
 * Removes the shared memory that dead workbenches left: files of {@link sharedName} alone, and of these only those whose
 * owner is gone. @returns their names; none where there is no such folder or nothing may be removed.
 */
export async function sweepSharedFiles(folder = sharedFolder): Promise<readonly string[]> {
  const removed: string[] = [];
  const namespace = pidNamespace();
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid, startTime = '', from] = ownName.exec(name) ?? [];
    if (pid === undefined || from !== namespace || isAlive({ pid: Number(pid), startTime })) continue;
    const gone = await rm(join(folder, name)).then(
      () => true,
      // Another user's, or another process was faster.
      () => false,
    );
    if (gone) removed.push(name);
  }
  return removed;
}
