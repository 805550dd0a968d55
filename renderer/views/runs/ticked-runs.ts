import type { RunSummary } from '../../../main/contract/api';

export interface TickedRuns {
  /** Ticked and shown: what an action works on. */
  readonly rows: readonly RunSummary[];
  /** Ticked, but hidden by the filter: no action touches them. */
  readonly hidden: number;
}

/** What the ticks mean under a filter: nothing happens to a run that is not on the screen. Pure. */
export function tickedRuns(
  all: readonly RunSummary[],
  shown: readonly RunSummary[],
  ticked: ReadonlySet<string>,
): TickedRuns {
  const rows = shown.filter((run) => ticked.has(run.runId));
  return { rows, hidden: all.filter((run) => ticked.has(run.runId)).length - rows.length };
}

/** The ticks after the box in the head: all that is shown or none of it; what the filter hides stays as it is. Pure. */
export function tickShown(
  shown: readonly RunSummary[],
  ticked: ReadonlySet<string>,
  on: boolean,
): readonly string[] {
  const ids = shown.map((run) => run.runId);
  const others = [...ticked].filter((runId) => !ids.includes(runId));
  return on ? [...others, ...ids] : others;
}
