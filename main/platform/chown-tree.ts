import { lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Something that works in the folder may remove a file between two looks. */
function passOver(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/**
 * Gives a folder and all in it to another user; links themselves, not what they point at. What goes in the meantime is
 * passed over, and so is a root that is a link: `readdir` would follow it to a folder of the host.
 */
export async function chownTree(root: string, uid: number): Promise<void> {
  if ((await lstat(root).catch(passOver))?.isSymbolicLink() === true) return;
  await lchown(root, uid, uid).catch(passOver);
  const entries = await readdir(root, { withFileTypes: true }).catch(passOver);
  for (const entry of entries ?? []) {
    const path = join(root, entry.name);
    if (entry.isDirectory()) await chownTree(path, uid);
    else await lchown(path, uid, uid).catch(passOver);
  }
}
