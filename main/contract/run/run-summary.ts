import { z } from 'zod';
import { jobStateSchema } from '../job/run-job';
import { runOrigins } from './run-content';
import { matrixMarkSchema, runOutcomes, runWaitSchema } from './run-events';
import { levelSummarySchema } from './run-outcome';

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
