import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

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
