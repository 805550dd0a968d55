import { bestAnswer, budgetText } from './answer-text';
import { isSteady, marksOf } from './flag-text';
import type { BestPoint } from './points';
import { bestPoint, budgetMsOf, withinBudget } from './points';
import type { RunState } from './run-state';
import { budgetLatencyUs } from './sweep';

/** A level for machines: values as measured, microseconds. */
const levelDocument = ({ scenario, point }: BestPoint) => ({
  scenario,
  batchSize: point.batchSize,
  concurrency: point.concurrency,
  ...(point.requestRate === undefined ? {} : { requestRate: point.requestRate }),
  inferencesPerSecond: point.inferencesPerSecond,
  p99Us: budgetLatencyUs(point),
  steady: isSteady(point),
  marks: marksOf(point),
});

/** The best level for machines, with the sentence for people; null where nothing was measured. */
export function bestDocument(state: RunState) {
  const best = bestPoint(state);
  return best === null ? null : { ...levelDocument(best), text: bestAnswer(state) };
}

/** What the run gives within its p99 budget; null without one, `best` null where no level is within it. */
export function budgetDocument(state: RunState) {
  const budgetMs = budgetMsOf(state);
  if (budgetMs === null) return null;
  const { best } = withinBudget(state, budgetMs);
  return { p99BudgetMs: budgetMs, best: best === null ? null : levelDocument(best), text: budgetText(state) };
}
