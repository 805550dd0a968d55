import type { RunSummary } from '../../main/contract/api';
import { runStatusText } from '../format/words';

/** Runs in which every word of the search occurs, in any of the row's texts. */
export function filterRuns(runs: readonly RunSummary[], search: string): readonly RunSummary[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return runs.filter((run) => {
    const text = [
      run.runId,
      run.preset,
      run.profile,
      run.format,
      run.precision,
      run.engine,
      runStatusText[run.status],
    ]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
