import { WorkbenchError } from '../contract/errors';

/** A p99 budget in milliseconds: a number above 0. Throws input-invalid. */
export function readBudgetMs(value: string): number {
  const budgetMs = value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isFinite(budgetMs) && budgetMs > 0) return budgetMs;
  throw new WorkbenchError('input-invalid', `"${value}" is not a latency in milliseconds`, {
    where: '--p99-budget-ms',
    remedy: 'Use a number above 0, for example 20 or 0.5.',
  });
}
