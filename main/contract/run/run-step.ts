import type { WireError } from '../errors';
import type { StepId } from './run-events';

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

/** A step that nothing was done of yet. */
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

/** A step that a pause or a wait fell into continues afterwards: it neither failed nor was it cancelled. */
export const pausedStep = (step: StepState): StepState =>
  step.status === 'running' ? { ...step, status: 'waiting', startedAt: null } : step;
