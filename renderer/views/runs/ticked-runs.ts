import type { RunSummary } from '../../../main/contract/api';

export interface TickedRuns {
  /** Ticked and shown: actions apply to these. */
  readonly rows: readonly RunSummary[];
  /** Ticked but filtered out: actions do not apply. */
  readonly hidden: number;
}

export function tickedRuns(
  all: readonly RunSummary[],
  shown: readonly RunSummary[],
  ticked: ReadonlySet<string>,
): TickedRuns {
  const rows = shown.filter((run) => ticked.has(run.runId));
  return { rows, hidden: all.filter((run) => ticked.has(run.runId)).length - rows.length };
}

export function tickShown(
  shown: readonly RunSummary[],
  ticked: ReadonlySet<string>,
  on: boolean,
): readonly string[] {
  const ids = shown.map((run) => run.runId);
  const others = [...ticked].filter((runId) => !ids.includes(runId));
  return on ? [...others, ...ids] : others;
}
