import type { LoadTotals } from '../seam/worker-messages';
import type { MeasuredWindow } from './level-result';

/** What the turns of a level have given so far; the next one goes on from it. */
export interface LevelTurns {
  readonly windows: readonly MeasuredWindow[];
  readonly totals: LoadTotals;
  /** When the time of the level's first warm-up was over, by the clock of `performance.now()`. */
  readonly firstMs: number;
  /** How often shared memory had to be registered again. */
  readonly repairs: number;
  readonly elapsedUs: number;
}

/** Counts of two turns together. */
export function addedTotals(before: LoadTotals, more: LoadTotals): LoadTotals {
  return {
    succeeded: before.succeeded + more.succeeded,
    failures: [...before.failures, ...more.failures],
    checks: {
      checked: before.checks.checked + more.checks.checked,
      wrong: before.checks.wrong + more.checks.wrong,
    },
    outputs: {
      checked: before.outputs.checked + more.outputs.checked,
      wrong: before.outputs.wrong + more.outputs.wrong,
      compared: before.outputs.compared + more.outputs.compared,
    },
  };
}
