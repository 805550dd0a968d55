import { constants } from 'node:fs';
import { chmod, copyFile, lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { invalidInput } from '../contract/errors';
import type { DeployableRun } from '../deployments/deployable-run';
import { copied, placeModel } from '../deployments/place-files';
import { bytesBelow, hashFile, listFiles, makeFolder, writeFileAtomic } from '../platform/files';
import { formatConfigPbtxt } from '../triton/config/config-pbtxt';

/** Another user usually serves it. */
const readable = { folder: 0o755, file: 0o644 };

export async function requireEmpty(dir: string): Promise<void> {
  const found = await lstat(dir).catch(() => null);
  if (found === null) return;
  if (found.isDirectory() && (await readdir(dir)).length === 0) return;
  throw invalidInput(dir, `${dir} is not empty`, 'Name a folder that does not exist yet, or an empty one.');
}

/** Leaves out Python's caches. */
async function copyModel(from: string, to: string): Promise<void> {
  for (const path of await listFiles(from)) {
    const target = join(to, path);
    await makeFolder(dirname(target));
    await copyFile(join(from, path), target, constants.COPYFILE_FICLONE);
  }
}

/** What Triton serves. @param isFound the configuration is that of a search @returns bytes copied */
export async function copyModels(
  { config, files, repository, about }: DeployableRun,
  to: string,
  isFound: boolean,
): Promise<number> {
  if (repository === undefined) {
    await copyModel(dirname(files), join(to, config.name));
    if (isFound) await writeFileAtomic(join(to, config.name, 'config.pbtxt'), formatConfigPbtxt(config));
  } else {
    for (const name of about.repository?.models ?? []) {
      await placeModel(join(repository.folder, name), join(to, name), copied);
    }
    const { config: changed } = repository;
    if (changed !== undefined) await writeFileAtomic(join(to, changed.model, 'config.pbtxt'), changed.text);
  }
  return bytesBelow(to);
}

/** In the format of `sha256sum`. */
export async function checksums(dir: string, folder: string): Promise<string> {
  const lines: string[] = [];
  for (const path of await listFiles(join(dir, folder))) {
    lines.push(`${await hashFile(join(dir, folder, path))}  ${join(folder, path)}\n`);
  }
  return lines.join('');
}

/** Independent of the umask. */
export async function makeReadable(dir: string): Promise<void> {
  await chmod(dir, readable.folder);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
    else await chmod(path, readable.file);
  }
}
