import type { WireError } from '../errors';
import { type RunCreated, type StepId, stepsOf } from './run-events';
import { bySource, type RunSource } from './run-source';
import { scenarioOfLevels } from './server-load';

export type StepStatus = 'waiting' | 'running' | 'done' | 'skipped' | 'failed' | 'cancelled';

export interface StepState {
  readonly id: StepId;
  readonly status: StepStatus;
  readonly key: string | null;
  readonly attempt: number;
  readonly startedAt: string | null;
  readonly durationUs: number | null;
  readonly skippedBecause: 'unchanged' | 'cached' | 'not-needed' | null;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly warnings: readonly string[];
  readonly commands: readonly { readonly argv: readonly string[]; readonly note: string | undefined }[];
  readonly error: WireError | null;
}

export const freshStep = (id: StepId): StepState => ({
  id,
  status: 'waiting',
  key: null,
  attempt: 0,
  startedAt: null,
  durationUs: null,
  skippedBecause: null,
  facts: [],
  warnings: [],
  commands: [],
  error: null,
});

/** What its first record says that a run is of. */
export function sourceOf(entry: RunCreated): RunSource {
  if ('onServer' in entry) return { kind: 'server', load: entry.onServer };
  if ('imported' in entry) return { kind: 'imported', file: entry.imported, model: entry.model };
  return { kind: 'deployed', spec: entry.spec, specHash: entry.specHash };
}

/** Of a server the measuring one; none of an import. */
export const firstSteps = (source: RunSource): readonly StepState[] =>
  bySource<readonly StepId[]>(source, {
    deployed: stepsOf,
    server: ({ levels }) => [scenarioOfLevels(levels)],
    imported: () => [],
  }).map(freshStep);

/** An interrupted step continues after a pause or wait: it neither failed nor was cancelled. */
export const pausedStep = (step: StepState): StepState =>
  step.status === 'running' ? { ...step, status: 'waiting', startedAt: null } : step;

/** What an earlier run has in common with another: the whole choice, or model and engine. */
export type Alike = 'choice' | 'model';

/** What a complete run of this machine took, in seconds. */
export interface PastRun {
  readonly alike: Alike;
  /** By step; 0 where it reused files or was not needed. Of a sweep the time outside of its levels. */
  readonly stepS: Readonly<Partial<Record<StepId, number>>>;
  /** Mean of its levels; null: no level has a time. */
  readonly levelS: number | null;
  /** A level by its settings; null where windows end by count. */
  readonly plannedLevelS: number | null;
}
