import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lchown, open, readdir } from 'node:fs/promises';

const asFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Linux says either of a link that is to be opened as a folder and not followed. */
const noFolder: ReadonlySet<string> = new Set(['ENOTDIR', 'ELOOP']);

/** Something that works in the folder may remove a file between two looks. */
function passOver(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return null;
}

/** null where there is no folder, or none any more. */
const folderAt = (path: string): Promise<FileHandle | null> =>
  open(path, asFolder).catch((error: unknown) =>
    noFolder.has((error as NodeJS.ErrnoException).code ?? '') ? null : passOver(error),
  );

/** By what the folder is, not by its path: whoever works in it can put a link in the place of a folder at any moment. */
async function give(folder: FileHandle, uid: number): Promise<void> {
  await folder.chown(uid, uid);
  const here = `/proc/self/fd/${folder.fd}`;
  for (const entry of await readdir(here, { withFileTypes: true })) {
    const path = `${here}/${entry.name}`;
    const below = entry.isDirectory() ? await folderAt(path) : null;
    if (below === null) await lchown(path, uid, uid).catch(passOver);
    else await give(below, uid).finally(() => below.close());
  }
}

/**
 * Gives a folder and all in it to another user; links themselves, not what they point at. What goes in the meantime is
 * passed over, and so is a root that is a link.
 */
export async function chownTree(root: string, uid: number): Promise<void> {
  const folder = await folderAt(root);
  if (folder !== null) await give(folder, uid).finally(() => folder.close());
}
