import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StepId } from '../contract/run-events';
import { stepIds } from '../contract/run-events';
import { requirePlain, requirePlainEntry } from '../platform/plain-entry';
import type { RunFolder } from './run-folder';

/** Everything below a folder; nothing where there is none. */
async function requirePlainTree(root: string): Promise<void> {
  await requirePlainEntry(root);
  const entries = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  });
  for (const entry of entries) {
    const path = join(root, entry.name);
    requirePlain(path, entry);
    if (entry.isDirectory()) await requirePlainTree(path);
  }
}

/** Before reports are written to a run folder. Throws run-folder-unsafe. */
export async function requirePlainResults(folder: RunFolder): Promise<void> {
  for (const path of [folder.journal, folder.summary]) await requirePlainEntry(path);
  await requirePlainTree(folder.results);
}

/**
 * Before a run works in its folder: whatever it reads or writes there by name is a plain file or folder, so that nothing
 * outside is overwritten, mounted or read in its place. The run's own link at `runs/<id>` is resolved by now.
 * @param kept steps whose folders stay from attempt to attempt; those of others are listed in the journal or made anew.
 * Throws run-folder-unsafe naming the first entry that is something else.
 */
export async function requirePlainRun(
  folder: RunFolder,
  modelName: string,
  kept: readonly StepId[],
): Promise<void> {
  const { spec, cancelRequest, pauseRequest, repository, dir } = folder;
  for (const path of [spec, cancelRequest, pauseRequest, join(dir, 'steps')]) await requirePlainEntry(path);
  await requirePlainResults(folder);
  for (const id of stepIds) {
    if (kept.includes(id)) await requirePlainTree(folder.step(id));
    else
      for (const path of [folder.step(id), folder.log(id), folder.output(id)]) await requirePlainEntry(path);
  }
  const model = join(repository, modelName);
  for (const path of [repository, model, join(model, 'config.pbtxt')]) await requirePlainEntry(path);
}
