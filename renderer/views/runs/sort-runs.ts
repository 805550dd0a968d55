import type { RunSummary } from '../../../main/contract/api';
import { runStatusText } from '../../format/words';

/** null: no value; last in either direction. */
const valueOf = {
  preset: ({ preset }: RunSummary) => preset,
  format: ({ format, precision }: RunSummary) => `${format} ${precision}`,
  profile: ({ profile }: RunSummary) => profile,
  engine: ({ engine }: RunSummary) => engine,
  status: ({ status }: RunSummary) => runStatusText[status],
  accuracy: ({ accuracyPassed }: RunSummary) => (accuracyPassed === null ? null : Number(accuracyPassed)),
  throughput: ({ chosen }: RunSummary) => chosen?.inferencesPerSecond ?? null,
  p99: ({ chosen }: RunSummary) => chosen?.p99Us ?? null,
  started: ({ createdAt }: RunSummary) => createdAt,
} as const;

export type SortColumn = keyof typeof valueOf;

export interface Sorting {
  readonly column: SortColumn;
  readonly descending: boolean;
}

export function sortRuns(
  runs: readonly RunSummary[],
  { column, descending }: Sorting,
): readonly RunSummary[] {
  const keyed = runs.map((run) => ({ run, value: valueOf[column](run) }));
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

/** The same column reverses; another begins with the newest, the fastest or the lowest latency. */
export function nextSorting(now: Sorting, column: SortColumn): Sorting {
  if (now.column === column) return { column, descending: !now.descending };
  return { column, descending: column === 'throughput' || column === 'started' };
}
