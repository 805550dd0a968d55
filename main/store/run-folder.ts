import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { StepId } from '../contract/run-events';
import type { RunSpec } from '../contract/run-spec';

/** Names inside a run folder. */
export interface RunFolder {
  readonly dir: string;
  readonly spec: string;
  readonly journal: string;
  /** Row of the run list, kept beside the journal; made again from it when it is not there or old. */
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

/** What a folder of runs must be named to be one. */
export const runIdPattern = /^[A-Za-z0-9][\w.-]{0,199}$/;

/** Sorts by time, says what it is, and cannot meet another by chance. */
export function newRunId(spec: RunSpec, now: Date, imported = false): string {
  const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  const what = imported
    ? `${spec.model.preset}-imported`
    : `${spec.model.preset}-${spec.format}-${spec.precision}`;
  return `${stamp}-${what}-${randomBytes(3).toString('hex')}`;
}
