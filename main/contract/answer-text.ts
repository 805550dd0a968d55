import { isSteady, marksOf } from './flag-text';
import { levelText } from './level-text';
import { formatMs, formatRate, formatTyped } from './numbers';
import type { BestPoint, BudgetAnswer } from './points';
import { bestPoint, budgetMsOf, withinBudget } from './points';
import type { RunState } from './run-state';
import { budgetLatencyUs } from './sweep';

/** Which level, and what is in doubt about it beside its steadiness: "offline, batch size 2, concurrency 1; client-limited". */
export function bestLevelText({ scenario, point }: BestPoint): string {
  const doubts = marksOf(point).filter((mark) => mark !== 'not steady');
  return [`${scenario}, ${levelText(point)}`, ...doubts].join('; ');
}

/** A level as an answer: "2,366 inferences/s at p99 11.20 ms (offline, batch size 2, concurrency 1)". */
function levelAnswer(best: BestPoint): string {
  const { point } = best;
  const from = point.scheduled === undefined ? '' : ' from schedule';
  return `${formatRate(point.inferencesPerSecond)} inferences/s at p99 ${formatMs(budgetLatencyUs(point))} ms${from} (${bestLevelText(best)})`;
}

/** The name of the best level: whether it is steady is part of it. */
export const bestLevelName = ({ point }: BestPoint): string =>
  isSteady(point) ? 'Best steady level' : 'Best level, not steady';

/** A best level in a sentence without its full stop. */
export const bestSentence = (best: BestPoint): string => `${bestLevelName(best)}: ${levelAnswer(best)}`;

/** The run's best level in a sentence without its full stop; null where nothing was measured. */
export function bestAnswer(state: RunState): string | null {
  const best = bestPoint(state);
  return best === null ? null : bestSentence(best);
}

/** The same sentence in window, report, CSV and command line: what the run gives within its p99 budget. */
export function budgetSentence({ budgetMs, best, doubtful }: BudgetAnswer): string {
  const limit = `${formatTyped(budgetMs)} ms`;
  if (best !== null) return `Within a p99 of ${limit}: ${levelAnswer(best)}.`;
  const others =
    doubtful === 0
      ? ''
      : ` ${doubtful} ${doubtful === 1 ? 'level is' : 'levels are'} within it but not steady or with errors.`;
  return `No steady level has a p99 within ${limit}.${others}`;
}

/** {@link budgetSentence} of the run's own budget; null without one, and where nothing was measured. */
export function budgetText(state: RunState): string | null {
  const budgetMs = budgetMsOf(state);
  return budgetMs === null || bestPoint(state) === null
    ? null
    : budgetSentence(withinBudget(state, budgetMs));
}
