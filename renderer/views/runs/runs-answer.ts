import type { RunSummary } from '../../../main/contract/api';
import { formatMs, formatRate } from '../../../main/contract/numbers';
import { isDeployedRow } from '../../../main/contract/run/run-outcome';
import type { Tone } from '../../components/status-text';
import { runStatusText } from '../../format/words';
import { hasFailed } from '../../stores/run-work';

/** What runs, else what came of the newest run; null without runs. `titleOf` a preset. */
export function runsAnswer(
  runs: readonly RunSummary[],
  titleOf: (preset: string) => string,
): { readonly text: string; readonly tone: Tone } | null {
  const nameOf = (run: RunSummary): string => run.name ?? titleOf(run.preset);
  const running = runs.filter(({ status }) => status === 'running');
  const [first] = running;
  if (first !== undefined) {
    const more = running.length - 1;
    return { text: `${nameOf(first)} is running${more === 0 ? '' : `, and ${more} more`}`, tone: 'info' };
  }
  const newest = runs.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0];
  if (newest === undefined) return null;
  const { status, chosen, answer } = newest;
  const name = nameOf(newest);
  const state = runStatusText[status].toLowerCase();
  if (hasFailed(status) || chosen === null || answer === null) {
    return { text: `Latest run: ${name}, ${state}`, tone: hasFailed(status) ? 'bad' : 'dim' };
  }
  const served = isDeployedRow(newest) ? [`${newest.format} ${newest.precision}`, newest.profile] : [];
  // What it has measured so far may not be its last word.
  const isWhole = status === 'done';
  const basis = [...served, isWhole ? null : state, answer.mark].filter((part) => part !== null).join(', ');
  return {
    text: `Latest run: ${name}, ${formatRate(chosen.inferencesPerSecond)} inferences/s at p99 ${formatMs(chosen.p99Us)} ms${basis === '' ? '' : ` (${basis})`}`,
    tone: answer.isSure && isWhole ? 'good' : 'warn',
  };
}
