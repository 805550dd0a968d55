import { z } from 'zod';
import { isTree, mergeTrees, type Tree } from '../trees';

const mostDays = 3650;

const proxy = z
  .string()
  .max(500)
  .regex(/^https?:\/\/[^\s/]+\/?$/);

/** Only loopback is trusted without TLS. */
const feed = z
  .string()
  .max(500)
  .regex(/^(?:https:\/\/[^\s/@]+|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?)(?:\/[^\s@]*)?$/);

/** Host with optional port, and a path: by Docker's rule the first part is a host if it has a dot or port. */
const registry = z
  .string()
  .max(255)
  .regex(
    /^(?:localhost(?::\d+)?|[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?|[a-z0-9-]+:\d+)(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/,
  );

const engineChoices = ['preset', 'local', 'docker'] as const;
export const themes = ['system', 'light', 'dark'] as const;
const fieldCodes = ['all-settings', 'on', 'off'] as const;
const runNotices = ['long', 'all', 'off'] as const;

/** Values, default and texts of a setting. null: not set. */
interface SettingDefinition<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly fallback: z.infer<Schema>;
  readonly group: SettingGroup;
  readonly title: string;
  readonly help: string;
  readonly absent: string;
  /** Text of its range, where it is not a choice. */
  readonly range?: string;
  readonly unit?: string;
  /** Unit after 1, where it differs. */
  readonly unitOfOne?: string;
  readonly choices?: Readonly<Record<string, string>>;
  /** A change takes effect at the next start. */
  readonly fromNextStart?: true;
}

export const settingGroups = ['New deployments', 'Window', 'Network', 'Updates', 'Storage'] as const;
export type SettingGroup = (typeof settingGroups)[number];

const setting = <Schema extends z.ZodType>(definition: SettingDefinition<Schema>) => definition;

/** By key in `settings.json`. */
export const settingDefinitions = {
  'deployment.engine': setting({
    schema: z.enum(engineChoices),
    fallback: 'preset',
    group: 'New deployments',
    title: 'Engine',
    help: 'Where a new deployment runs unless it names an engine.',
    absent: 'preset default',
    choices: { preset: 'Preset default', local: 'Local', docker: 'Docker' },
  }),
  'deployment.release': setting({
    schema: z
      .string()
      .regex(/^\d\d\.\d\d$/)
      .nullable(),
    fallback: null,
    group: 'New deployments',
    title: 'NGC release',
    help: 'Release of the NVIDIA images of a run that names none. Applies only in Docker with NVIDIA images.',
    absent: 'newest that fits the machine and the model',
    range: 'a release such as 26.07',
  }),
  'deployment.p99BudgetMs': setting({
    schema: z.number().positive().max(3_600_000).nullable(),
    fallback: null,
    group: 'New deployments',
    title: 'p99 budget',
    help: 'Budget of new deployments, of measured servers and of the command "best", unless they have their own.',
    absent: 'none',
    range: 'a number of milliseconds above 0, at most 3,600,000',
    unit: 'ms',
  }),
  'window.theme': setting({
    schema: z.enum(themes),
    fallback: 'system',
    group: 'Window',
    title: 'Theme',
    help: 'Colors of the window.',
    absent: 'system',
    choices: { system: 'System', light: 'Light', dark: 'Dark' },
  }),
  'window.fieldCodes': setting({
    schema: z.enum(fieldCodes),
    fallback: 'all-settings',
    group: 'Window',
    title: 'Field codes',
    help: 'Names of Triton, perf_analyzer and run.yaml beside the labels of a form; a click copies one.',
    absent: 'on the pages of all settings',
    choices: { 'all-settings': 'On the pages of all settings', on: 'On every form', off: 'Off' },
  }),
  'notifications.runs': setting({
    schema: z.enum(runNotices),
    fallback: 'long',
    group: 'Window',
    title: 'Notify when a run ends',
    help: 'Desktop notification at the end of a run, while the window is in the background.',
    absent: 'runs longer than a minute',
    choices: { long: 'Runs longer than a minute', all: 'Every run', off: 'Never' },
  }),
  'notifications.alerts': setting({
    schema: z.boolean(),
    fallback: true,
    group: 'Window',
    title: 'Notify about alerts of the monitor',
    help: 'Desktop notification when an alert fires or ends, while the window is in the background.',
    absent: 'on',
  }),
  'network.proxy': setting({
    schema: proxy.nullable(),
    fallback: null,
    group: 'Network',
    title: 'Proxy',
    help: 'Address of the HTTP proxy for pip and the Python toolkit. HTTP_PROXY and HTTPS_PROXY of the environment override it. Docker pulls use the proxy of the Docker daemon; downloads of published data sets are direct.',
    absent: 'none, or that of the environment',
    range: 'an address such as http://proxy.example.com:3128',
    fromNextStart: true,
  }),
  'network.noProxy': setting({
    schema: z
      .string()
      .max(1000)
      .regex(/^[^\s]+$/)
      .nullable(),
    fallback: null,
    group: 'Network',
    title: 'Hosts without proxy',
    help: 'Hosts that are reached directly, separated by commas. This machine is always among them.',
    absent: 'none',
    range: 'hosts separated by commas, without spaces',
    fromNextStart: true,
  }),
  'network.registry': setting({
    schema: registry.nullable(),
    fallback: null,
    group: 'Network',
    title: 'Registry of NVIDIA images',
    help: 'A mirror with the images tritonserver and pytorch under the same tags. Applies to the images that the workbench chooses; an image that a deployment names is used as it is.',
    absent: 'nvcr.io/nvidia',
    range: 'a registry with its path, without https://, such as registry.example.com/nvidia',
    fromNextStart: true,
  }),
  'updates.feed': setting({
    schema: z.union([z.literal('off'), feed]).nullable(),
    fallback: null,
    group: 'Updates',
    title: 'Update feed',
    help: 'Address of a folder with the newest package and its latest-linux.yml. An installed package checks it at every start, and downloads and installs only after you agree.',
    absent: 'the feed that the package names, if any',
    range: 'an https address such as https://updates.example.com/triton-workbench, or off',
  }),
  'runs.keepDays': setting({
    schema: z.int().min(1).max(mostDays).nullable(),
    fallback: null,
    group: 'Storage',
    title: 'Keep runs for',
    help: 'When the window starts, older runs move to the trash; the first start more than a day later deletes them for good. Runs with a name, a tag or a note, runs that can be continued, runs behind a deployment and run folders outside the home are kept.',
    absent: 'keep all runs',
    range: 'a whole number of days from 1 to 3,650',
    unit: 'days',
    unitOfOne: 'day',
  }),
} as const;

export type SettingKey = keyof typeof settingDefinitions;
export type SettingValue = string | number | boolean | null;
export type Settings = {
  readonly [Key in SettingKey]: z.infer<(typeof settingDefinitions)[Key]['schema']>;
};

export const settingKeys = Object.keys(settingDefinitions) as readonly SettingKey[];

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(settingDefinitions, key);

export const definitionOf = (key: SettingKey): SettingDefinition<z.ZodType<SettingValue>> =>
  settingDefinitions[key];

export const defaultSettings = Object.fromEntries(
  settingKeys.map((key) => [key, definitionOf(key).fallback]),
) as unknown as Settings;

export interface SettingsState {
  readonly values: Settings;
  /** Valid keys of the file. */
  readonly changed: readonly SettingKey[];
  /** Keys without effect: of a newer version, or misspelled. They are kept. */
  readonly unknown: readonly string[];
  /** Keys with invalid values; their defaults apply. */
  readonly invalid: readonly { readonly key: SettingKey; readonly reason: string }[];
  /** Why the file is unreadable; null: readable or absent. */
  readonly broken: string | null;
  readonly file: string;
}

export function readSettings(content: Tree, file: string): SettingsState {
  const values: Record<string, SettingValue> = { ...defaultSettings };
  const changed: SettingKey[] = [];
  const unknown: string[] = [];
  const invalid: SettingsState['invalid'][number][] = [];
  for (const [key, value] of Object.entries(content)) {
    if (!isSettingKey(key)) {
      unknown.push(key);
      continue;
    }
    const parsed = definitionOf(key).schema.safeParse(value);
    if (parsed.success) {
      values[key] = parsed.data;
      changed.push(key);
    } else invalid.push({ key, reason: `must be ${rangeOf(key)}` });
  }
  return { values: values as unknown as Settings, changed, unknown, invalid, broken: null, file };
}

export function rangeOf(key: SettingKey): string {
  const { range, choices } = definitionOf(key);
  if (choices !== undefined) return `one of ${Object.keys(choices).join(', ')}`;
  return range ?? 'on or off';
}

export function settingText(key: SettingKey, value: SettingValue): string {
  const { absent, choices, unit, unitOfOne = unit } = definitionOf(key);
  if (value === null) return absent;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  const text = choices?.[String(value)] ?? String(value);
  const shown = value === 1 ? unitOfOne : unit;
  return shown === undefined ? text : `${text} ${shown}`;
}

/** The settings' engine, where the choice names none. */
export function withDefaultEngine(
  overrides: Tree,
  { 'deployment.engine': engine }: Pick<Settings, 'deployment.engine'>,
): Tree {
  const given = isTree(overrides['engine']) ? overrides['engine'] : {};
  if (engine === 'preset' || given['kind'] !== undefined || given['url'] !== undefined) return overrides;
  return mergeTrees(overrides, { engine: { kind: engine } });
}
