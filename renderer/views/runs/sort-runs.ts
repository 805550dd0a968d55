import type { RunSummary } from '../../../main/contract/api';
import { runStatusText } from '../../format/words';

export type SortColumn =
  'preset' | 'format' | 'profile' | 'engine' | 'status' | 'accuracy' | 'throughput' | 'p99' | 'started';

export interface Sorting {
  readonly column: SortColumn;
  readonly descending: boolean;
}

/** null: the run has no such value, and stands last either way. */
function valueOf(run: RunSummary, column: SortColumn): string | number | null {
  switch (column) {
    case 'preset':
      return run.preset;
    case 'format':
      return `${run.format} ${run.precision}`;
    case 'profile':
      return run.profile;
    case 'engine':
      return run.engine;
    case 'status':
      return runStatusText[run.status];
    case 'accuracy':
      return run.accuracyPassed === null ? null : Number(run.accuracyPassed);
    case 'throughput':
      return run.best?.inferencesPerSecond ?? null;
    case 'p99':
      return run.best?.p99Us ?? null;
    case 'started':
      return run.createdAt;
  }
}

/** In the order of a column; equal ones newest first. */
export function sortRuns(
  runs: readonly RunSummary[],
  { column, descending }: Sorting,
): readonly RunSummary[] {
  const keyed = runs.map((run) => ({ run, value: valueOf(run, column) }));
  const sign = descending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) {
      if (a.value !== b.value) return a.value === null ? 1 : -1;
    } else if (a.value !== b.value) {
      return a.value < b.value ? -sign : sign;
    }
    return a.run.createdAt < b.run.createdAt ? 1 : a.run.createdAt > b.run.createdAt ? -1 : 0;
  });
  return keyed.map(({ run }) => run);
}

/** The same column turns round; another begins with its telling end: newest, fastest, quickest answer. */
export function nextSorting(now: Sorting, column: SortColumn): Sorting {
  if (now.column === column) return { column, descending: !now.descending };
  return { column, descending: column === 'throughput' || column === 'started' };
}
