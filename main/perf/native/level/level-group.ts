import { WorkbenchError } from '../../../contract/errors';
import type { LoadTotals } from '../seam/worker-messages';
import type { MeasuredWindow } from './level-result';

/**
 * Levels of several models that are measured at the same time: they begin together, and the load of none ends before all are
 * steady, or have had their windows, at one moment. So all that a result is made of fell under the load of all.
 */
export class LevelGroup {
  private readonly states = new Map<object, { readonly ready: boolean; readonly finish: () => void }>();
  private readonly waiting: (() => void)[] = [];

  constructor(readonly size: number) {}

  /** Resolves when all have come. Throws cancelled. */
  async arrive(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const cancel = () => {
        reject(new WorkbenchError('cancelled', 'Measuring was cancelled'));
      };
      if (signal.aborted) {
        cancel();
        return;
      }
      signal.addEventListener('abort', cancel, { once: true });
      this.waiting.push(() => {
        signal.removeEventListener('abort', cancel);
        resolve();
      });
      if (this.waiting.length === this.size) for (const go of this.waiting) go();
    });
  }

  /** A member's windows so far are enough, or not (any more). Calls every member's `finish` when all have enough. */
  update(member: object, ready: boolean, finish: () => void): void {
    this.states.set(member, { ready, finish });
    const states = [...this.states.values()];
    if (states.length < this.size || !states.every((state) => state.ready)) return;
    for (const state of states) state.finish();
  }
}

/** What the turns of a level have given so far; the next one continues from it. */
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
