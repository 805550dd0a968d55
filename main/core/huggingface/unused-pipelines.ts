import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../../platform/files';
import type { HomeLayout } from '../../platform/layout';
import { leaseBeside, readLiveHolder } from '../../store/file-lease';

/** What of a run, a study or a draft names its model: a specification, which a journal begins with. */
const namesModel = (name: string): boolean => /\.(?:yaml|json|jsonl)$/.test(name);
const mostBytes = 4 * 2 ** 20;

async function beginOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

const entriesOf = (folder: string) => readdir(folder, { withFileTypes: true }).catch(() => []);

/** Files of a folder, and of its folders, that may name a model. */
async function namingFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isFile()) found.push(path);
    // A run outside of the home is a link to its folder.
    else for (const inner of await entriesOf(path)) if (inner.isFile()) found.push(join(path, inner.name));
  }
  return found.filter(namesModel);
}

/** The last file that is written of a pipeline; its time is that of the writing, or of the last run that it was opened for. */
export const manifestOf = (place: string): string => join(place, 'pipeline.json');
/** Ending of a folder that is being written; its writer holds the lease beside it. */
export const unfinishedEnding = '.tmp';
const leaseEnding = leaseBeside('');
/** Age after which a folder without a lease is abandoned. */
const abandonedMs = 24 * 3600 * 1000;
/** Longer than from a written pipeline to its run. */
const freshMs = 3600 * 1000;

/** Whether it was last changed longer ago; null: it is not there. */
async function isOlder(path: string, ms: number): Promise<boolean | null> {
  const found = await lstat(path).catch(() => null);
  return found === null ? null : Date.now() - found.mtimeMs > ms;
}

/** Of a killed writer, or older than a day where an earlier version wrote no lease. */
async function isAbandoned(path: string): Promise<boolean> {
  const lease = leaseBeside(path);
  return (await exists(lease))
    ? (await readLiveHolder(lease)) === null
    : (await isOlder(path, abandonedMs)) === true;
}

/** Written or opened within the last hour. */
const isFresh = async (path: string): Promise<boolean> =>
  (await isOlder(manifestOf(path), freshMs)) === false;

/**
 * Written pipelines that no run, study or draft of the home names; runs in the trash count, as they can be restored. One that
 * was written or opened within the last hour (by the time of its pipeline.json) is left out: its run may be about to be
 * created, by another process, too. Also what a killed writing left: a folder with the lease of a dead process, or one
 * without a lease that is older than a day.
 * @returns their paths
 */
export async function unusedPipelines(
  layout: Pick<HomeLayout, 'pipelines' | 'runs' | 'trash' | 'studies' | 'drafts'>,
): Promise<readonly string[]> {
  const abandoned: string[] = [];
  const left = new Set<string>();
  for (const { name } of await entriesOf(layout.pipelines)) {
    const path = join(layout.pipelines, name);
    if (name.endsWith(leaseEnding)) {
      if ((await readLiveHolder(path)) === null) abandoned.push(path);
    } else if (name.endsWith(unfinishedEnding)) {
      if (await isAbandoned(path)) abandoned.push(path);
    } else if (!(await isFresh(path))) left.add(name);
  }
  for (const folder of [layout.runs, layout.trash, layout.studies, layout.drafts]) {
    if (left.size === 0) break;
    for (const file of await namingFiles(folder)) {
      const text = await beginOf(file);
      for (const name of left) if (text.includes(`/${name}/`)) left.delete(name);
    }
  }
  return [...abandoned, ...[...left].map((name) => join(layout.pipelines, name))];
}
