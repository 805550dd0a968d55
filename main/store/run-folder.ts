import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type StepId, stepIds } from '../contract/run/run-events';
import { requirePlain, requirePlainEntry } from '../platform/plain-entry';

export interface RunFolder {
  readonly dir: string;
  readonly spec: string;
  readonly journal: string;
  /** Cached row of the run list, regenerated from the journal. */
  readonly summary: string;
  readonly results: string;
  readonly repository: string;
  readonly cancelRequest: string;
  readonly pauseRequest: string;
  step(id: StepId): string;
  log(id: StepId): string;
  output(id: StepId): string;
}

export function runFolder(dir: string): RunFolder {
  return {
    dir,
    spec: join(dir, 'run.yaml'),
    journal: join(dir, 'journal.jsonl'),
    summary: join(dir, 'summary.json'),
    results: join(dir, 'results'),
    repository: join(dir, 'steps', 'configure', 'model-repository'),
    cancelRequest: join(dir, 'cancel.request'),
    pauseRequest: join(dir, 'pause.request'),
    step: (id) => join(dir, 'steps', id),
    log: (id) => join(dir, 'steps', id, 'step.log'),
    output: (id) => join(dir, 'steps', id, 'output.json'),
  };
}

/** Sortable by time, readable and unique. */
export function newRunId(what: string, now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  return `${stamp}-${what}-${randomBytes(3).toString('hex')}`;
}

/** Recursive; empty if missing. */
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

/** Before writing reports. Throws run-folder-unsafe. */
export async function requirePlainResults(folder: RunFolder): Promise<void> {
  for (const path of [folder.journal, folder.summary]) await requirePlainEntry(path);
  await requirePlainTree(folder.results);
}

/**
 * Before a run works in its folder: checks that everything accessed by name is a plain file or folder. The link at
 * `runs/<id>` is already resolved.
 * @param kept steps whose folders persist between attempts; others are in the journal's manifest or rewritten
 * Throws run-folder-unsafe naming the first other entry.
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
