import type { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { baseDefaults, fields } from '../contract/fields/fields';
import { nearestName } from '../contract/fields/nearest-name';
import { missingText } from '../contract/issue-text';
import { type Preset, presetSchema } from '../contract/run/preset';
import { type PresetKey, presetKeys, yamlFlow } from '../contract/run/preset-keys';
import { runSpecSchema } from '../contract/run/run-spec';
import { isTree, mergeTrees, type Tree } from '../contract/trees';

interface PresetProblem {
  /** `signature.inputs[0].name`. */
  readonly path: string;
  readonly what: string;
  /** Example of the key; null without one. */
  readonly form: string | null;
  /** Where valid values are listed; without a full stop. */
  readonly hint?: string;
}

type Path = readonly PropertyKey[];

const mostProblems = 100;
const mostInMessage = 20;
const mostInRemedy = 4;

const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');

/** `signature.inputs[].name` for `signature.inputs[0].name`, `profiles.*.args` for `profiles.quick.args`. */
const patternOf = (path: Path): string =>
  pathText(path)
    .replaceAll(/\[\d+\]/g, '[]')
    .replace(/^(profiles|byGpu)\.[^.[]+/, '$1.*');

function formOf(keys: readonly PresetKey[], path: Path): string | null {
  const found = keys.find((one) => one.path === patternOf(path));
  // For a list item the list is shown.
  if (found === undefined) return typeof path.at(-1) === 'number' ? formOf(keys, path.slice(0, -1)) : null;
  const { example, path: pattern } = found;
  const name = pattern.slice(pattern.lastIndexOf('.') + 1);
  return example === undefined ? null : `${name}: ${yamlFlow(example)}`;
}

/** The closest known name: a typo, or an abbreviation. */
const meant = (name: string, known: readonly string[]): string | null =>
  nearestName(name, known) ?? known.find((one) => one.toLowerCase().startsWith(name.toLowerCase())) ?? null;

function siblings(keys: readonly PresetKey[], parent: Path): readonly string[] {
  const before = parent.length === 0 ? '' : `${patternOf(parent)}.`;
  return keys
    .filter(({ path }) => path.startsWith(before) && !/[.[]/.test(path.slice(before.length)))
    .map(({ path }) => path.slice(before.length));
}

function unknownKey(keys: readonly PresetKey[], parent: Path, name: string): PresetProblem {
  const path = pathText([...parent, name]);
  const known = siblings(keys, parent);
  const near = meant(name, known);
  const form = near === null ? null : formOf(keys, [...parent, near]);
  const listed = known.length === 0 ? '' : `; its keys are ${known.join(', ')}`;
  return {
    path,
    what: near === null ? `is an unknown key${listed}` : `is an unknown key (did you mean ${near}?)`,
    form,
  };
}

type Issue = z.core.$ZodIssue;

function problemsOf(keys: readonly PresetKey[], issue: Issue): readonly PresetProblem[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, mostProblems).map((name) => unknownKey(keys, path, name));
  }
  if (issue.code === 'invalid_key') return [unknownKey(keys, path.slice(0, -1), String(path.at(-1)))];
  return [{ path: pathText(path) || 'preset.yaml', what: message, form: formOf(keys, path) }];
}

function layersOf({ defaults, byFormat, profiles }: Preset): readonly (readonly [string, Tree])[] {
  const by = (at: string, layers: Readonly<Record<string, Tree>> | undefined) =>
    Object.entries(layers ?? {}).map(([name, layer]) => [`${at}.${name}`, layer] as const);
  return [
    ['defaults', defaults],
    ...by('byFormat', byFormat),
    ...Object.entries(profiles).flatMap(([name, profile]) => [
      [`profiles.${name}.defaults`, profile.defaults] as const,
      ...by(`profiles.${name}.byFormat`, profile.byFormat),
      ...by(`profiles.${name}.byEngine`, profile.byEngine),
      ...by(`profiles.${name}.byPrecision`, profile.byPrecision),
    ]),
  ];
}

const valueAt = (tree: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, part) => {
    if (Array.isArray(value)) return value[Number(part)] as unknown;
    return isTree(value) ? value[String(part)] : undefined;
  }, tree);

function unknownField(at: string, path: Path, name: string): PresetProblem {
  const parent = pathText(path);
  const before = parent === '' ? '' : `${parent}.`;
  const known = fields
    .filter((row) => row.path.startsWith(before))
    .map((row) => row.path.slice(before.length).split('.')[0] ?? '');
  const near = meant(name, [...new Set(known)]);
  return {
    path: `${at}.${before}${name}`,
    what: `is not a field of run.yaml${near === null ? '' : ` (did you mean ${near}?)`}`,
    form: null,
    hint: `"${['triton-workbench fields', ...(parent === '' ? [] : [parent])].join(' ')}" lists the fields`,
  };
}

function layerProblems(at: string, layer: Tree, id: string): readonly PresetProblem[] {
  const underneath = mergeTrees(baseDefaults, {
    model: { preset: id, profile: 'quick', args: {} },
    configure: { modelName: id },
    performance: { concurrency: [1], onlineBatchSize: 1 },
  });
  const found = runSpecSchema.safeParse(mergeTrees(underneath, layer)).error?.issues ?? [];
  return found.flatMap((issue): readonly PresetProblem[] => {
    const { path, message } = issue;
    // An engine's fields depend on its kind; "formula" names the published sweep.
    if (path[0] === 'engine' || valueAt(layer, path) === 'formula') return [];
    if (issue.code === 'unrecognized_keys') {
      const own = issue.keys.filter((name) => valueAt(layer, [...path, name]) !== undefined);
      return own.map((name) => unknownField(at, path, name));
    }
    if (valueAt(layer, path) === undefined) return [];
    const field = pathText(path);
    return [
      {
        path: `${at}.${field}`,
        what: message,
        form: null,
        hint: `"triton-workbench fields ${String(path[0])}" lists what each field takes`,
      },
    ];
  });
}

/** The preset, or all problems of its tree. */
export function checkPreset(tree: unknown): Preset | readonly PresetProblem[] {
  const parsed = presetSchema.safeParse(tree);
  if (!parsed.success) {
    const keys = presetKeys();
    return parsed.error.issues.slice(0, mostProblems).flatMap((issue) => problemsOf(keys, issue));
  }
  const preset = parsed.data;
  const found = layersOf(preset).flatMap(([at, layer]) => layerProblems(at, layer, preset.id));
  return found.length === 0 ? preset : found.slice(0, mostProblems);
}

function messageOf(problems: readonly PresetProblem[]): string {
  const shown = problems.slice(0, mostInMessage);
  const missing = shown.filter(({ what }) => what === missingText).map(({ path }) => path);
  const wrong = shown.filter(({ what }) => what !== missingText).map(({ path, what }) => `${path} ${what}`);
  const lacks = missing.length === 0 ? [] : [`lacks ${missing.join(', ')}`];
  const more = problems.length > shown.length ? [`${problems.length - shown.length} more`] : [];
  const first = lacks.length === 0 ? 'preset.yaml: ' : 'preset.yaml ';
  return `${first}${[...lacks, ...wrong, ...more].join('; ')}`;
}

const everyKey =
  '"triton-workbench reference preset" describes every key, and "init NEW_FOLDER" writes a preset.yaml to compare with';

/** All problems of a preset.yaml as one error, each with its requirement and form. */
export function presetError(problems: readonly PresetProblem[], where: string): WorkbenchError {
  const forms = [...new Set(problems.flatMap(({ form }) => form ?? []))];
  const hints = [...new Set(problems.flatMap(({ hint }) => hint ?? []))].slice(0, mostInRemedy);
  const written =
    forms.length > mostInRemedy ? 'The form of each is below' : `Write for example ${forms.join('; ')}`;
  const details = problems.map(({ path, what, form, hint }) => {
    const help = form === null ? (hint ?? '') : `for example ${form}`;
    return `${path} ${what}${help === '' ? '' : `; ${help}`}`;
  });
  return new WorkbenchError('model-folder-invalid', messageOf(problems), {
    where,
    remedy: [...(forms.length === 0 ? [] : [written]), ...hints, everyKey]
      .map((text) => `${text}.`)
      .join(' '),
    details: problems.length > 1 ? details.join('\n') : undefined,
  });
}
