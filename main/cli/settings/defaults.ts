import type { Core } from '../../core';

/** The p99 budget that was typed, else that of the settings; undefined where neither is there. */
export async function budgetOf(core: Core, typed: number | undefined): Promise<number | undefined> {
  if (typed !== undefined) return typed;
  const { values } = await core.handlers['settings.get'](undefined);
  return values['deployment.p99BudgetMs'] ?? undefined;
}
