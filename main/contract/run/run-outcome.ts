import { z } from 'zod';
import { jobStateSchema } from '../job/run-job';
import { comparedAtText } from '../measured/compared-batches';
import type { AccuracyResult } from '../measured/results';
import { formatCount } from '../numbers';
import { runOrigins } from './run-content';
import { matrixMarkSchema, runOutcomes, runWaitSchema } from './run-events';
import type { RunState } from './run-state';

export const accuracySchema = z.strictObject({
  word: z.enum(['verified', 'failed', 'not checked']),
  /** "outputs, 16 samples"; null where nothing was compared, or it failed. */
  of: z.string().nullable(),
});
export type Accuracy = Readonly<z.infer<typeof accuracySchema>>;

const levelSummarySchema = z.strictObject({
  inferencesPerSecond: z.number(),
  /** From the schedule in an open loop. */
  p99Us: z.number(),
  /** Half-widths of the 95 % intervals; absent: unknown. */
  intervalIps: z.number().optional(),
  p99IntervalUs: z.number().optional(),
  steady: z.boolean(),
});

export const runSummarySchema = z.strictObject({
  runId: z.string(),
  dir: z.string(),
  preset: z.string(),
  /** Kind of the imported file; null for a run of this workbench. */
  imported: z.string().nullable(),
  /** `host:port` of a measured server; null for other runs. */
  onServer: z.string().nullable(),
  /** Verified each time. */
  origin: z.enum(runOrigins),
  profile: z.string(),
  format: z.string(),
  precision: z.string(),
  engine: z.string(),
  status: z.enum(['created', 'running', 'interrupted', ...runOutcomes]),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Time of its steps, without pauses. Absent: no step took any, or an imported run. */
  durationUs: z.number().positive().optional(),
  /** Best level over both scenarios, ignoring the p99 budget; null before the first point. */
  best: levelSummarySchema.nullable(),
  /** Best level within the p99 budget; null where there is none. */
  chosen: levelSummarySchema.nullable(),
  /** Answer and its doubts in sentences; `mark`: the gravest doubt in a word or two. null before the first point. */
  answer: z.strictObject({ text: z.string(), isSure: z.boolean(), mark: z.string().nullable() }).nullable(),
  /** "NVIDIA A100-SXM4-80GB", "2 × NVIDIA H100", else the processor; empty for an imported run. */
  machine: z.string(),
  /** Server image, else its version; empty if unknown. */
  server: z.string(),
  /** What executes the model; null of an imported run, `short` empty of a measured server. */
  servedBy: z.strictObject({ short: z.string(), text: z.string() }).nullable(),
  accuracyPassed: z.boolean().nullable(),
  accuracy: accuracySchema,
  unverified: z.boolean(),
  name: z.string().nullable(),
  tags: z.array(z.string()).readonly(),
  note: z.string(),
  /** null when it does not wait. */
  waitsFor: runWaitSchema.nullable(),
  /** Last job of the run; null: none. */
  job: jobStateSchema.nullable(),
  /** Absent: not of a matrix. */
  matrix: matrixMarkSchema.optional(),
  /** Damaged journal lines: their content may be missing from this row. */
  damagedLines: z.array(z.int()).readonly(),
  /** Left out, too. Absent: none. */
  newerLines: z.array(z.int()).readonly().optional(),
});
export type RunSummary = Readonly<z.infer<typeof runSummarySchema>>;

/** The run has a specification and can be run again. */
export const isDeployedRow = ({ imported, onServer }: Pick<RunSummary, 'imported' | 'onServer'>): boolean =>
  imported === null && onServer === null;

/** Rows at hand: a window does not wait until every row is made. */
export interface RunList {
  readonly runs: readonly RunSummary[];
  /** Ids with rows of another workbench version, not remade yet. */
  readonly outdated: readonly string[];
  readonly missing: number;
}

export type Tone = 'good' | 'warning' | 'bad' | 'neutral';

export interface Badge {
  readonly label: string;
  readonly tone: Tone;
}

export interface Verification {
  readonly verified: boolean;
  /** "verified (outputs, 16 samples)", "verified (outputs and metric)", "not checked", "failed". */
  readonly label: string;
  readonly reason: string;
}

/** The report is written by the last step of a running run, for which the run counts as done. */
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

export const statusLabel = (status: RunState['status']): string => words[status].label;

export function statusOf(state: RunState): Badge {
  if (state.source.kind === 'imported') return { label: 'Imported', tone: 'neutral' };
  return words[outcomeOf(state)];
}

/** Figures of a labeled data set beside a golden file decide nothing without a threshold. */
const areMetricsChecked = ({ golden, metrics }: AccuracyResult): boolean =>
  golden === undefined ? metrics.length > 0 : metrics.some(({ threshold }) => threshold !== null);

/** Without a gate a result is as unverified as one that failed it. */
export function accuracyOf(result: AccuracyResult | null | undefined): Accuracy {
  if (result === null || result === undefined) return { word: 'not checked', of: null };
  if (!result.passed) return { word: 'failed', of: null };
  if (areMetricsChecked(result)) return { word: 'verified', of: 'outputs and metric' };
  const samples = `${formatCount(result.sampleCount)} sample${result.sampleCount === 1 ? '' : 's'}`;
  return { word: 'verified', of: `outputs, ${samples}` };
}

/** "verified (outputs, 16 samples)". */
export const accuracyText = ({ word, of }: Accuracy): string => (of === null ? word : `${word} (${of})`);

const accuracyMarks = {
  verified: { sign: '✓', tone: 'good' },
  failed: { sign: '✗', tone: 'bad' },
  'not checked': { sign: '!', tone: 'warning' },
} as const satisfies Record<Accuracy['word'], unknown>;

/** "✓ Accuracy verified (outputs, 16 samples)". */
export function accuracyBadge(accuracy: Accuracy): Badge {
  const { sign, tone } = accuracyMarks[accuracy.word];
  return { label: `${sign} Accuracy ${accuracyText(accuracy)}`, tone };
}

/** "the framework", "the golden file ocr.json". */
export const referenceText = (result: AccuracyResult | undefined): string =>
  result?.golden === undefined ? 'the framework' : `the golden file ${result.golden}`;

export function verificationOf({ source, accuracy }: RunState): Verification {
  const own = accuracyOf(accuracy?.result);
  const label = accuracyText(own);
  if (own.word === 'verified') {
    const isOfOutputs = accuracy?.result.metrics.length === 0 || accuracy?.result.golden !== undefined;
    const what = isOfOutputs ? 'Outputs' : 'Outputs and metrics';
    const at = comparedAtText(accuracy?.result.batches);
    return {
      verified: true,
      label,
      reason: `${what} agree with ${referenceText(accuracy?.result)}${at === null ? '' : ` at ${at}`}.`,
    };
  }
  if (own.word === 'not checked') {
    const from = source.kind === 'imported' ? 'Imported: not measured here. ' : '';
    return { verified: false, label, reason: `${from}Accuracy against the framework was not checked.` };
  }
  const reasons = accuracy?.result.reasons.join('; ') ?? '';
  return {
    verified: false,
    label,
    reason: `The accuracy gate did not pass${reasons === '' ? '.' : `: ${reasons}`}`,
  };
}
