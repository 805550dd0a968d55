import { invalidInput, WorkbenchError } from '../contract/errors';
import { didYouMean } from '../contract/fields/nearest-name';
import { formatBytes } from '../contract/numbers';
import {
  definitionOf,
  isSettingKey,
  type SettingKey,
  settingKeys,
  type SettingsState,
  settingText,
  type SettingValue,
} from '../contract/settings/settings';
import type { Core } from '../core';
import type { ReadingCore } from '../core/reading-core';
import { largestOf } from '../domain/statistics';
import { printText } from './output';
import type { Answer, Verb } from './verb';

/** The typed p99 budget, or that of the settings, or undefined. */
export async function budgetOf(core: ReadingCore, typed: number | undefined): Promise<number | undefined> {
  if (typed !== undefined) return typed;
  const { values } = await core.handlers['settings.get'](undefined);
  return values['deployment.p99BudgetMs'] ?? undefined;
}

/** Problems of the settings file, without unknown keys, which have no effect. */
export async function settingProblems(core: ReadingCore): Promise<readonly string[]> {
  return problemLines({ ...(await core.handlers['settings.get'](undefined)), unknown: [] });
}

export function problemLines({ broken, invalid, unknown, file }: SettingsState): readonly string[] {
  return [
    ...(broken === null ? [] : [`${file} cannot be read: ${broken}. The defaults are used.`]),
    ...invalid.map(({ key, reason }) => `${key} ${reason}. The default is used.`),
    ...(unknown.length === 0 ? [] : [`Unknown keys, which have no effect: ${unknown.join(', ')}`]),
  ];
}

function readKey(text: string): SettingKey {
  if (isSettingKey(text)) return text;
  const hint = didYouMean(text, settingKeys);
  throw invalidInput('key', `"${text}" is not a setting${hint}`, `Settings are: ${settingKeys.join(', ')}.`);
}

/** Interprets numbers, on and off, none. */
export function readSettingValue(key: SettingKey, text: string): SettingValue {
  const { schema } = definitionOf(key);
  const asNumber = text.trim() === '' ? Number.NaN : Number(text);
  const meanings: readonly SettingValue[] = [
    ...(text === 'none' ? [null] : []),
    text,
    ...(Number.isFinite(asNumber) ? [asNumber] : []),
    ...({ on: [true], true: [true], off: [false], false: [false] }[text] ?? []),
  ];
  // The first interpretation that the schema accepts, or the likeliest one, whose error the core reports.
  const taken = meanings.findIndex((one) => schema.safeParse(one).success);
  return meanings.at(taken) ?? null;
}

/** One line per setting: key, value, and the default if it differs. */
export function settingLines({ values, changed }: SettingsState): readonly string[] {
  const width = largestOf(settingKeys.map((key) => key.length));
  return settingKeys.map((key) => {
    const mark = changed.includes(key) ? `  (default: ${settingText(key, definitionOf(key).fallback)})` : '';
    return `${key.padEnd(width)}  ${settingText(key, values[key])}${mark}`;
  });
}

function answerOf({ values }: SettingsState, key: SettingKey): Answer {
  const value = values[key];
  return { document: { key, value }, lines: () => `${key}: ${settingText(key, value)}` };
}

/** Throws input-invalid if a new retention moves runs without consent. */
async function requireAgreed(core: Core, days: number, yes: boolean): Promise<void> {
  const runs = await core.handlers['settings.retired']({ days });
  for (const { runId, createdAt, bytes } of runs) {
    printText(`${runId}, ${createdAt.slice(0, 10)}, ${formatBytes(bytes)}\n`, 'stderr');
  }
  if (runs.length === 0 || yes) return;
  throw new WorkbenchError(
    'input-invalid',
    `The next start of the window would move ${runs.length === 1 ? 'this run' : `these ${runs.length} runs`} to the trash, to be deleted for good a day later`,
    { where: 'runs.keepDays', remedy: 'Add --yes to set it, or name or tag the runs to keep.' },
  );
}

async function readSettings(core: ReadingCore): Promise<SettingsState> {
  const state = await core.handlers['settings.get'](undefined);
  for (const line of problemLines(state)) printText(`${line}\n`, 'stderr');
  return state;
}

export function addSettings(program: Verb): void {
  const settings = program
    .command('settings')
    .description('List, read, set or reset the settings of window and command line');
  settings
    .command('list', { isDefault: true })
    .description('List every setting with its value')
    .reading(async ({ core }) => {
      const state = await readSettings(core);
      return { document: state, lines: () => settingLines(state) };
    });
  settings
    .command('get')
    .description('Print the value of a setting')
    .argument('<key>', 'key of the setting, as in "settings list"', readKey)
    .reading(async ({ core }, key: SettingKey) => answerOf(await readSettings(core), key));
  settings
    .command('set')
    .description('Set a setting; window and command line use it from now on')
    .argument('<key>', 'key of the setting', readKey)
    .argument('<value>', 'the value; "none" removes it, "on" and "off" switch')
    .option('-y, --yes', 'do not ask before a retention that moves runs to the trash')
    .answer(async ({ core }, key: SettingKey, text: string, { yes = false }: { readonly yes?: boolean }) => {
      const value = readSettingValue(key, text);
      const isDays = key === 'runs.keepDays' && definitionOf(key).schema.safeParse(value).success;
      if (isDays && typeof value === 'number') await requireAgreed(core, value, yes);
      return answerOf(await core.handlers['settings.set']({ key, value }), key);
    });
  settings
    .command('reset')
    .description('Reset a setting to its default')
    .argument('<key>', 'key of the setting', readKey)
    .answer(async ({ core }, key: SettingKey) =>
      answerOf(await core.handlers['settings.reset']({ key }), key),
    );
}
