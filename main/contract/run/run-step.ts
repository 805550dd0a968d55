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

/** An interrupted step continues after a pause or wait: it neither failed nor was cancelled. */
export const pausedStep = (step: StepState): StepState =>
  step.status === 'running' ? { ...step, status: 'waiting', startedAt: null } : step;
