import { statfs } from 'node:fs/promises';
import { WorkbenchError } from '../contract/errors';
import { formatBytes } from '../contract/numbers';

/** Left free for everything else. */
const reserveBytes = 256 * 1024 ** 2;

/** Bytes that this user may still write in the file system of a folder. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Throws disk-full before anything is written that could not be finished. */
export function requireSpace(folder: string, neededBytes: number, freeBytes: number): void {
  if (neededBytes + reserveBytes <= freeBytes) return;
  throw new WorkbenchError(
    'disk-full',
    `The file and its unpacked content need ${formatBytes(neededBytes)}, but only ${formatBytes(freeBytes)} are free`,
    {
      where: folder,
      remedy: 'Free some disk space, or choose a folder on another disk ("data fetch … --to DIR").',
    },
  );
}
