import { constants } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { givenWeights } from '../contract/run/artefacts';
import { isFileSource } from '../contract/run/own-model';
import type { Scenario } from '../contract/run/run-events';
import type { Framework, RunSpec } from '../contract/run/run-spec';
import type { LoadLevel } from '../contract/run/scenario-levels';
import { exportedFormat, formatOf } from '../formats/formats';
import { fileError } from '../platform/file-error';
import type { HomeLayout } from '../platform/layout';
import { openPlain, requirePlainEntry } from '../platform/plain-entry';
import { sweepTemporary } from '../platform/temporary-files';
import type { RunFolder } from './run-folder';

/** Names of what the first step leaves in its folder. */
const preparedNames = (framework: Framework) =>
  ({ dataset: 'dataset', checkpoint: framework === 'tf' ? 'checkpoint.npz' : 'checkpoint.pt' }) as const;

/**
 * Where the steps of a run leave what later ones take; the user's own data set and model file stay where they are.
 * @param framework decides the name of the weights alone.
 */
export function runFiles(folder: RunFolder, spec: RunSpec, framework: Framework = 'pyt') {
  const model = formatOf(spec.format).fileName;
  const names = preparedNames(framework);
  const prepared = folder.step('prepare-data');
  const accuracy = folder.step('accuracy');
  const ownFile = isFileSource(spec.model) ? givenWeights(spec.model) : undefined;
  return {
    dataset: spec.model.dataset ?? join(prepared, names.dataset),
    checkpoint: ownFile ?? join(prepared, names.checkpoint),
    checkpointArguments: join(prepared, 'checkpoint-arguments.json'),
    exported: join(folder.step('export'), formatOf(exportedFormat(spec.format)).fileName),
    converted: join(folder.step('convert'), model),
    frameworkDump: join(accuracy, 'framework'),
    tritonDump: join(accuracy, 'triton'),
    keptSamples: join(accuracy, 'samples'),
    frameworkMetrics: join(folder.results, 'accuracy-metrics-framework.csv'),
    tritonMetrics: join(folder.results, 'accuracy-metrics-triton.csv'),
    inputData: folder.step('profile-data'),
  } as const;
}

/** Folder of one measured level. @param turn which measurement of it, where there are several; '' for the first. */
export function levelFolder(folder: RunFolder, scenario: Scenario, level: LoadLevel, turn = ''): string {
  const rate = level.requestRate === undefined ? '' : `-r${level.requestRate}`;
  return join(folder.step(scenario), `b${level.batchSize}-c${level.concurrency}${rate}${turn}`);
}

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

/** The end of a log that is read: of 20,000 lines, which is what a window asks for, each may have 800 bytes. */
const mostBytes = 16 * 1024 * 1024;

/**
 * Last `limit` lines of a step's log in a run folder; none where there is no log. Neither the log nor the folders of the step
 * and of the steps may be links. Throws run-folder-unsafe.
 */
export async function readLogTail(path: string, limit: number): Promise<string[]> {
  const stepFolder = dirname(path);
  for (const folder of [dirname(stepFolder), stepFolder]) await requirePlainEntry(folder);
  try {
    const file = await openPlain(path, constants.O_RDONLY);
    try {
      const { size } = await file.stat();
      const from = Math.max(0, size - mostBytes);
      const buffer = Buffer.alloc(size - from);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
      const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
      // The first one has lost its beginning.
      if (from > 0) lines.shift();
      if (lines[lines.length - 1] === '') lines.pop();
      return lines.slice(-limit);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw fileError(error, path);
  }
}
