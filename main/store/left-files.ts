import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HomeLayout } from '../platform/layout';
import { sweepTemporary } from '../platform/temporary-files';
import type { RunFolder } from './run-folder';

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/** Removes the half-written files that killed workbenches left in a home, those inside of runs aside. Never rejects. */
export async function sweepHomeFiles(layout: HomeLayout): Promise<void> {
  const { home, runs, cache, engines, devices } = layout;
  const queues = (await namesIn(devices)).map((name) => join(devices, name));
  for (const folder of [home, runs, cache, engines, ...queues]) await sweepTemporary(folder);
}

/** A link in a run folder may come from somebody else: nothing is looked for, or removed, behind it. */
const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** The same in the folder of a run that this process holds. */
export async function sweepRunFiles({ dir, results }: RunFolder): Promise<void> {
  const steps = join(dir, 'steps');
  const names = (await isFolder(steps)) ? await namesIn(steps) : [];
  for (const folder of [dir, results, ...names.map((name) => join(steps, name))]) {
    if (await isFolder(folder)) await sweepTemporary(folder);
  }
}
