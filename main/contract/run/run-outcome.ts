import { z } from 'zod';
import type { RunState } from './run-state';

/** A level in a row of the run list. */
export const levelSummarySchema = z.strictObject({
  inferencesPerSecond: z.number(),
  /** From the schedule where there is one. */
  p99Us: z.number(),
  steady: z.boolean(),
  /** "Best steady level: 2,366 inferences/s at p99 11.20 ms (offline, …)": with what is in doubt about it. */
  text: z.string(),
});

export type Tone = 'good' | 'warning' | 'bad' | 'neutral';

export interface Badge {
  readonly label: string;
  readonly tone: Tone;
}

export interface Verification {
  readonly verified: boolean;
  readonly label: 'Verified' | 'Unverified';
  readonly reason: string;
}

/**
 * The report is written by the last step of a run that is still under way:
 * when everything before that step is done, the run counts as done.
 */
export function outcomeOf(state: RunState): RunState['status'] {
  if (state.status !== 'running') return state.status;
  const before = state.steps.filter((step) => step.id !== 'report');
  return before.every(({ status }) => status === 'done' || status === 'skipped') ? 'done' : 'running';
}

const words: Readonly<Record<RunState['status'], Badge>> = {
  created: { label: 'Not started', tone: 'neutral' },
  running: { label: 'Still running', tone: 'neutral' },
  interrupted: { label: 'Interrupted', tone: 'warning' },
  done: { label: 'Complete', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  'gate-failed': { label: 'Accuracy gate not passed', tone: 'bad' },
  cancelled: { label: 'Cancelled', tone: 'warning' },
  paused: { label: 'Paused', tone: 'warning' },
};

export function statusOf(state: RunState): Badge {
  if (state.imported !== null) return { label: 'Imported', tone: 'neutral' };
  return words[outcomeOf(state)];
}

/** Verified only when the gate was run and passed; a result without a gate is as unverified as one that failed it. */
export function verificationOf(state: RunState): Verification {
  if (state.imported !== null) {
    const reason = 'Imported: not measured here, and accuracy was not checked.';
    return { verified: false, label: 'Unverified', reason };
  }
  if (state.accuracy === null) {
    const reason = 'Accuracy against the framework was not checked.';
    return { verified: false, label: 'Unverified', reason };
  }
  if (state.unverified) {
    const reasons = state.accuracy.result.reasons.join('; ');
    return {
      verified: false,
      label: 'Unverified',
      reason: `The accuracy gate did not pass${reasons === '' ? '.' : `: ${reasons}`}`,
    };
  }
  return { verified: true, label: 'Verified', reason: 'Outputs and metrics agree with the framework.' };
}
