import type { RunSummary } from '../../../main/contract/api';
import { runStatusText } from '../../format/words';

const valuesOf = {
  status: ({ status }: RunSummary) => [status],
  preset: ({ preset }: RunSummary) => [preset],
  engine: ({ engine }: RunSummary) => [engine],
  tag: ({ tags }: RunSummary) => tags,
} as const satisfies Record<string, (run: RunSummary) => readonly string[]>;

export type Facet = keyof typeof valuesOf;
export const facets = Object.keys(valuesOf) as readonly Facet[];

export type ChosenFacets = Readonly<Partial<Record<Facet, readonly string[]>>>;

const fits = (run: RunSummary, chosen: ChosenFacets): boolean =>
  facets.every((facet) => {
    const wanted = chosen[facet] ?? [];
    const values: readonly string[] = valuesOf[facet](run);
    return wanted.length === 0 || values.some((value) => wanted.includes(value));
  });

export function filterRuns(
  runs: readonly RunSummary[],
  search: string,
  chosen: ChosenFacets = {},
): readonly RunSummary[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return runs.filter((run) => {
    if (!fits(run, chosen)) return false;
    if (words.length === 0) return true;
    const text = [
      run.runId,
      run.name ?? '',
      run.preset,
      run.profile,
      run.format,
      run.precision,
      run.engine,
      runStatusText[run.status],
      ...run.tags,
      run.note,
    ]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function facetCounts(
  runs: readonly RunSummary[],
  facet: Facet,
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const run of runs) {
    for (const value of valuesOf[facet](run)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([a, many], [b, more]) => more - many || a.localeCompare(b));
}
