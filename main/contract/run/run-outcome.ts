import { z } from 'zod';
import { jobStateSchema } from '../job/run-job';
import { runOrigins } from './run-content';
import { matrixMarkSchema, runOutcomes, runWaitSchema } from './run-events';
import type { RunState } from './run-state';

/** A level in a row of the run list. */
const levelSummarySchema = z.strictObject({
  inferencesPerSecond: z.number(),
  /** From the schedule where there is one. */
  p99Us: z.number(),
  steady: z.boolean(),
  /** "Best steady level: 2,366 inferences/s at p99 11.20 ms (offline, …)": with what is in doubt about it. */
  text: z.string(),
});

export const runSummarySchema = z.strictObject({
  runId: z.string(),
  dir: z.string(),
  preset: z.string(),
  /** Kind of the file that the figures come from; null for a run of this workbench. */
  imported: z.string().nullable(),
  /** `host:port` of a Triton that was there already; null for every other run. */
  onServer: z.string().nullable(),
  /** Where the run was created; verified each time. */
  origin: z.enum(runOrigins),
  profile: z.string(),
  format: z.string(),
  precision: z.string(),
  engine: z.string(),
  status: z.enum(['created', 'running', 'interrupted', ...runOutcomes]),
  createdAt: z.string(),
  updatedAt: z.string(),
  /**
   * The best level over both scenarios, as the report has it: its throughput, the p99 of that very point (from the
   * schedule where there is one), and what is in doubt about it in words; null before the first point.
   */
  best: levelSummarySchema.nullable(),
  /** The level that the answer names: the best one within the p99 budget, where the run has one; null where none is. */
  chosen: levelSummarySchema.nullable(),
  /** "NVIDIA A100-SXM4-80GB", "2 × NVIDIA H100", else the processor; empty for an imported run. */
  machine: z.string(),
  /** Image of the server, else its version; empty where neither is known. */
  server: z.string(),
  /** What the run gives within its p99 budget, in a sentence; null without a budget. */
  budgetText: z.string().nullable(),
  accuracyPassed: z.boolean().nullable(),
  unverified: z.boolean(),
  /** What people call it; null: it has no name. */
  name: z.string().nullable(),
  tags: z.array(z.string()).readonly(),
  note: z.string(),
  /** What holds the run up at present; null when it does not wait. */
  waitsFor: runWaitSchema.nullable(),
  /** The job that the run was handed to last; null: it was never handed to one. */
  job: jobStateSchema.nullable(),
  /** Absent: of no matrix. */
  matrix: matrixMarkSchema.optional(),
  /** Numbers of damaged lines of the journal: what they recorded may be missing from this row. */
  damagedLines: z.array(z.int()).readonly(),
});
/** A row of the run list. */
export type RunSummary = Readonly<z.infer<typeof runSummarySchema>>;

/** The run list as far as it is at hand: a window that opens does not wait until every row is made. */
export interface RunList {
  /** Newest first. */
  readonly runs: readonly RunSummary[];
  /** Ids of those whose row was kept by another version of the workbench and has not been made anew yet. */
  readonly outdated: readonly string[];
  /** How many runs have no row yet. */
  readonly missing: number;
}

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
