import type { ComparedSweep } from '../../domain/measured/compare-levels';
import type { JudgedLevel, outcomeOfAll } from '../../domain/measured/comparison-gate';

export interface Comparison {
  /** Run id, or the title of the published figures. */
  readonly a: string;
  readonly b: string;
  /** Names of the runs; null without one. */
  readonly nameA: string | null;
  readonly nameB: string | null;
  readonly sweeps: readonly ComparedSweep[];
  /** The faster run, unless the difference is within noise; null beside published figures. */
  readonly best: { readonly runId: string | null; readonly isClear: boolean; readonly text: string } | null;
  /** The p99 budget that both runs share. */
  readonly budgetMs: number | null;
  readonly notes: readonly string[];
}

/** What `compare --json` prints. */
export interface ComparisonDocument extends Comparison {
  /** Of all criteria; null without any. */
  readonly outcome: ReturnType<typeof outcomeOfAll> | null;
  readonly judged: readonly JudgedLevel[];
  readonly sentences: readonly string[];
}
