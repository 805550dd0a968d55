import type { SettingsState } from '../../contract/settings/settings';
import type { Core } from '../../core';

/** The p99 budget that was typed, else that of the settings; undefined where neither is there. */
export async function budgetOf(core: Core, typed: number | undefined): Promise<number | undefined> {
  if (typed !== undefined) return typed;
  const { values } = await core.handlers['settings.get'](undefined);
  return values['deployment.p99BudgetMs'] ?? undefined;
}

/** What keeps a setting from having effect; keys that are not known change nothing here. */
export async function settingProblems(core: Core): Promise<readonly string[]> {
  return problemLines({ ...(await core.handlers['settings.get'](undefined)), unknown: [] });
}

/** What is wrong with the file of the settings. Pure. */
export function problemLines({ broken, invalid, unknown, file }: SettingsState): readonly string[] {
  return [
    ...(broken === null ? [] : [`${file} cannot be read: ${broken}. The defaults hold.`]),
    ...invalid.map(({ key, reason }) => `${key} ${reason}. The default holds.`),
    ...(unknown.length === 0 ? [] : [`Unknown keys, which have no effect: ${unknown.join(', ')}`]),
  ];
}
