import { lstat, lutimes, readdir, readlink, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { runIdPattern } from '../contract/opened';
import { exists, isThere, makeFolder } from '../platform/files';
import { fileError } from '../platform/plain-entry';
import { acquireLease, leaseFile, leaseHolder } from './file-lease';
import { holdsRun } from './run-key';
import type { RunStore } from './run-store';

export interface RunTrash {
  /** Throws run-unknown, and run-busy while active. */
  remove(runId: string): Promise<void>;
  /** Throws run-unknown if not in the trash. */
  restore(runId: string): Promise<void>;
  /** Content that emptying deletes, including external folders. */
  contents(): Promise<{ readonly runIds: readonly string[]; readonly paths: readonly string[] }>;
  /** Deletes runs removed before this age; returns their ids. */
  empty(olderThanMs: number): Promise<readonly string[]>;
}

/** Deletes a link's target if it is still this run's. */
async function deleteLinked(target: string, runId: string): Promise<void> {
  if (!(await holdsRun(target, runId))) return;
  if ((await leaseHolder(target)) === null) await rm(target, { recursive: true, force: true });
}

/** Moves runs by rename. For external runs (`--out`) only the link moves, until the trash is emptied. */
export function createRunTrash(
  store: RunStore,
  folders: { readonly runs: string; readonly trash: string },
): RunTrash {
  const { runs, trash } = folders;
  const inTrash = (runId: string) => join(trash, runId);
  return {
    remove: async (runId) => {
      const folder = await store.folderOf(runId);
      await store.requireNoJob(runId);
      // Prevents a concurrent start.
      const release = await acquireLease(folder.dir);
      try {
        const from = join(runs, runId);
        await makeFolder(trash);
        const now = new Date();
        await lutimes(from, now, now);
        await rename(from, inTrash(runId));
      } catch (error) {
        throw fileError(error, inTrash(runId));
      } finally {
        await release();
        // Moved with the folder.
        if ((await lstat(inTrash(runId)).catch(() => null))?.isDirectory() === true) {
          await rm(join(inTrash(runId), leaseFile), { force: true });
        }
      }
    },
    restore: async (runId) => {
      if (!runIdPattern.test(runId) || !(await isThere(inTrash(runId)))) {
        throw new WorkbenchError('run-unknown', `Run "${runId}" is not in the trash`);
      }
      if (await isThere(join(runs, runId))) {
        throw new WorkbenchError('run-folder-exists', `Run "${runId}" already exists`);
      }
      await makeFolder(runs);
      await rename(inTrash(runId), join(runs, runId));
    },
    contents: async () => {
      const runIds = (await exists(trash))
        ? (await readdir(trash)).filter((name) => runIdPattern.test(name))
        : [];
      const paths = runIds.map(inTrash);
      for (const runId of runIds) {
        const target = await readlink(inTrash(runId)).catch(() => null);
        if (target !== null && (await holdsRun(target, runId))) paths.push(target);
      }
      return { runIds: runIds.sort(), paths };
    },
    empty: async (olderThanMs) => {
      if (!(await exists(trash))) return [];
      const gone: string[] = [];
      for (const runId of (await readdir(trash)).filter((name) => runIdPattern.test(name)).sort()) {
        const path = inTrash(runId);
        const found = await lstat(path).catch(() => null);
        if (found === null || Date.now() - found.mtimeMs < olderThanMs) continue;
        if (found.isSymbolicLink()) await deleteLinked(await readlink(path), runId);
        await rm(path, { recursive: true, force: true });
        gone.push(runId);
      }
      return gone;
    },
  };
}
