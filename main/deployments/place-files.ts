import { constants, copyFile, link, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { warmUpFolder } from '../formats/warm-up';
import { exists, listFiles, makeFolder } from '../platform/files';
import { fileError, requirePlainEntry } from '../platform/plain-entry';

type PlaceFile = (from: string, to: string) => Promise<void>;

/** Copy-on-write if possible, so that later changes of the original have no effect. */
export const copied: PlaceFile = (from, to) => copyFile(from, to, constants.COPYFILE_FICLONE);

/** Shares the bytes if the file system allows, else copies them. */
export const linked: PlaceFile = async (from, to) => {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOSPC') throw error;
    await copied(from, to);
  }
};

/** Every file of a folder, without byte code and links. Throws file-unwritable, disk-full. */
export async function eachFile(from: string, to: string, place: PlaceFile): Promise<void> {
  try {
    for (const path of await listFiles(from)) {
      await requirePlainEntry(join(from, path));
      await makeFolder(dirname(join(to, path)));
      await place(join(from, path), join(to, path));
    }
  } catch (error) {
    throw fileError(error, to);
  }
}

/** Files of the warm-up of a version. @param files its version folder */
const warmUpOf = (files: string): string => join(dirname(files), warmUpFolder, basename(files));

/** null: the version has none. @param files its version folder */
export async function warmUpFilesOf(files: string): Promise<string | null> {
  const folder = warmUpOf(files);
  return (await exists(folder)) ? folder : null;
}

/** Warm-up files of a version, where it has them. Throws as {@link eachFile}. @param files its version folder @param to the new one */
export async function placeWarmUp(files: string, to: string, place: PlaceFile): Promise<void> {
  const folder = await warmUpFilesOf(files);
  if (folder !== null) await eachFile(folder, warmUpOf(to), place);
}

/** @param files its version folder */
export const removeWarmUp = (files: string): Promise<void> =>
  rm(warmUpOf(files), { recursive: true, force: true });

/** The folder of a model, with those of its versions that are empty, as an ensemble’s is. Throws as {@link eachFile}. */
export async function placeModel(from: string, to: string, place: PlaceFile): Promise<void> {
  await makeFolder(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isDirectory() && /^\d+$/.test(entry.name)) await makeFolder(join(to, entry.name));
  }
  await eachFile(from, to, place);
}
