import { dirname } from 'node:path';
import type { RunSummary } from '../contract/run/run-summary';

const dayMs = 24 * 3600 * 1000;

/** These can be continued, or are worked on. */
const unfinished: ReadonlySet<RunSummary['status']> = new Set([
  'created',
  'running',
  'interrupted',
  'paused',
]);

/**
 * The runs that a retention of so many days moves to the trash, oldest first. Whatever somebody has marked stays: a name, a
 * tag, a note; and what can be continued, is part of a deployment, was last changed within the days, or lies elsewhere (`--out`). Pure.
 */
export function retiredRuns(
  runs: readonly RunSummary[],
  {
    days,
    nowMs,
    deployed,
    folder,
  }: {
    readonly days: number;
    readonly nowMs: number;
    readonly deployed: ReadonlySet<string>;
    /** Of the runs of the home, without links in its path. */
    readonly folder: string;
  },
): readonly RunSummary[] {
  const isOld = ({ createdAt, updatedAt }: RunSummary): boolean => {
    const lastMs = Math.max(Date.parse(createdAt), Date.parse(updatedAt));
    return nowMs - lastMs > days * dayMs;
  };
  return runs
    .filter((run) => run.name === null && run.tags.length === 0 && run.note.trim() === '')
    .filter(({ status, damagedLines }) => !unfinished.has(status) && damagedLines.length === 0)
    .filter(({ runId }) => !deployed.has(runId))
    .filter(({ dir }) => dirname(dir) === folder)
    .filter(isOld)
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}
