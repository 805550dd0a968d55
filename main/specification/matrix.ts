import { invalidInput, WorkbenchError } from '../contract/errors';
import type { FieldRow } from '../contract/fields/field';
import { type Constraint, fields, isNumberList, rowOf, valuesOf } from '../contract/fields/fields';
import { didYouMean } from '../contract/fields/nearest-name';
import { localHost, readHostNames } from '../contract/host/host-name';
import { remedyOf } from '../contract/remedy';
import { runSpecSchema } from '../contract/run/run-spec';
import type { MatrixAxis, MatrixEntry, MatrixFile } from '../contract/run/spec-tools';
import { treeOf, upstreamVariables } from '../contract/run/upstream-variables';
import { isTree, mergeTrees, sameValue, type Tree } from '../contract/trees';
import { shortText, shortValue } from '../platform/lines';
import { parseYaml } from '../platform/parse-yaml';
import { isRunnerConfig, type NamedPreset, runnerEntries, tellingVariables } from './read-variables';
import { sizeProblem, specKind } from './spec-readers';

/** More is a mistake: an axis was meant as a list of levels. */
const mostRuns = 256;

/** Model names in published runner configurations; the other three presets have none. */
const publishedModels: Readonly<Record<string, string>> = { TFT: 'tft', WidenDeep: 'wide-and-deep' };

const example = 'For example: "matrix: { preset: [tft, resnet50], precision: [fp32, fp16] }".';

/** A field by path, option, published variable, or a unique last part of its path. */
function fieldOf(key: string): FieldRow | undefined {
  if (key === 'preset') return rowOf('model.preset');
  if (key === 'gpu') return rowOf('engine.gpus');
  const named = fields.filter(({ path, internal }) => internal !== true && !path.endsWith('.*'));
  const variable = Object.hasOwn(upstreamVariables, key) ? upstreamVariables[key]?.field : undefined;
  const option = (row: FieldRow) => row.option?.split(' ')[0]?.slice(2);
  const last = named.filter(({ path }) => path.split('.').at(-1) === key);
  return (
    rowOf(key) ??
    (variable === undefined ? undefined : rowOf(variable)) ??
    named.find((row) => option(row) === key) ??
    (last.length === 1 ? last[0] : undefined)
  );
}

interface Field {
  readonly path: string;
  readonly read: (value: unknown) => unknown;
}

/** GPUs of a run: a name or list; "none" leaves the engine without. */
function readGpus(key: string, value: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > 0 && list.every((id) => typeof id === 'string')) return list;
  throw invalidInput(
    key,
    `${shortValue(value)} is not a GPU`,
    'Use idlest, all, none, or the UUID of a GPU.',
  );
}

/** The value, or the one in its list, that is of another type or below the minimum. */
function wrongScalar({ type, minimum = -Infinity }: Constraint, value: unknown): unknown {
  const isNumber = (one: unknown) => typeof one === 'number' && one >= minimum;
  const fits: Readonly<Partial<Record<Constraint['type'], (one: unknown) => boolean>>> = {
    integer: (one) => isNumber(one) && Number.isInteger(one),
    number: isNumber,
    boolean: (one) => typeof one === 'boolean',
  };
  const fit = fits[type] ?? fits[type.replace(/s$/, '') as Constraint['type']];
  return fit === undefined ? undefined : [value].flat().find((one) => !fit(one));
}

function readValue(row: FieldRow, key: string, value: unknown): unknown {
  if (row.path === 'engine.gpus') return readGpus(key, value);
  const constraint = valuesOf(row);
  // As in the schema, so that 64 and "64" are the same run.
  if (row.path === 'model.args.*' && ['number', 'boolean'].includes(typeof value)) return String(value);
  const isList = isNumberList(constraint) || constraint.type === 'texts';
  const isFormula = row.path === 'performance.concurrency' && value === 'formula';
  if (isList && !Array.isArray(value) && !isFormula) {
    const remedy = `Write each value as a list, for example "${key}: [[1, 2], [4]]" for two runs.`;
    throw invalidInput(key, `${row.label} takes a list, not ${shortValue(value)}`, remedy);
  }
  const wrong = isFormula ? undefined : wrongScalar(constraint, value);
  if (wrong !== undefined) {
    const remedy = remedyOf({ code: 'input-invalid', where: row.path });
    throw invalidInput(key, `${shortValue(wrong)} is not a value of ${row.label}`, remedy);
  }
  const { values = Object.keys(row.choices ?? {}) } = constraint;
  if (values.length === 0 || values.some((known) => known === value)) return value;
  const names = values.join(', ');
  const message = `${shortValue(value)} is not one of ${names}${didYouMean(value, values)}`;
  throw invalidInput(key, message, `Give one of ${names}.`);
}

/** Throws input-invalid for an unknown key. */
function requireField(key: string): Field {
  const row = fieldOf(key);
  if (row === undefined || row.internal === true) {
    const remedy =
      'Use a path, option or variable as "triton-workbench fields" lists them; preset and gpu are keys too.';
    throw invalidInput(key, `"${shortText(key)}" does not name one field of a run`, remedy);
  }
  const variable = Object.hasOwn(upstreamVariables, key) ? upstreamVariables[key] : undefined;
  const read = (value: unknown) => {
    const isText = ['string', 'number', 'boolean'].includes(typeof value);
    return readValue(row, key, variable !== undefined && isText ? variable.read(String(value)) : value);
  };
  return { path: row.path.endsWith('.*') ? key : row.path, read };
}

const noGpus = (path: string, value: unknown): boolean =>
  path === 'engine.gpus' && sameValue(value, ['none']);

function treeOfField(path: string, value: unknown): Tree {
  if (noGpus(path, value)) return {};
  // This machine, beside hosts.
  if (path === 'engine.host' && value === localHost) return treeOf('engine.kind', 'docker');
  return treeOf(path, value);
}

interface Axis {
  readonly path: string;
  readonly values: readonly unknown[];
}

function axisOf(key: string, given: unknown): Axis {
  const { path, read } = requireField(key);
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length === 0) throw invalidInput(`matrix.${key}`, 'The axis has no values', example);
  const values = list.map(read);
  const twice = values.find((value, at) => values.slice(0, at).some((before) => sameValue(before, value)));
  if (twice !== undefined)
    throw invalidInput(`matrix.${key}`, `${shortValue(twice)} appears twice`, 'Remove one.');
  return { path, values };
}

const sections = new Set(Object.keys(runSpecSchema.shape));

/** Common to all runs: fields named as for axes, and parts of a run.yaml. */
function commonTree(rest: Tree): Tree {
  return Object.entries(rest).reduce<Tree>((tree, [key, value]) => {
    if (sections.has(key) && isTree(value)) return mergeTrees(tree, { [key]: value });
    const { path, read } = requireField(key);
    return mergeTrees(tree, treeOfField(path, read(value)));
  }, {});
}

/** Fields that only containers have, which imply that engine. */
const ofContainers: readonly string[] = [
  'gpus',
  'images',
  'release',
  'tritonImage',
  'clientImage',
  'shmSizeMiB',
  'host',
];

function withEngine(tree: Tree): Tree {
  const { engine } = tree;
  const isMeant = isTree(engine) && engine['kind'] === undefined && ofContainers.some((key) => key in engine);
  return isMeant ? mergeTrees(tree, { engine: { kind: 'docker' } }) : tree;
}

const shown = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(shown).join(' ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

const presetIn = ({ model }: Tree): string | null =>
  isTree(model) && typeof model['preset'] === 'string' ? model['preset'] : null;

/** All combinations; the last axis changes fastest. */
function combinations(axes: readonly Axis[]): readonly (readonly unknown[])[] {
  return axes.reduce<readonly (readonly unknown[])[]>(
    (rows, { values }) => rows.flatMap((row) => values.map((value) => [...row, value])),
    [[]],
  );
}

function nameIn(given: unknown): string | null {
  if (given === undefined) return null;
  if (typeof given === 'string' && /^\w[\w.-]{0,39}$/.test(given)) return given;
  const remedy = 'Use up to 40 letters, digits, ".", "_" and "-".';
  throw invalidInput('name', `${shortValue(given)} is not a name for a matrix`, remedy);
}

/** Hosts to spread runs over; a text or a list. */
function hostsIn(given: unknown): readonly string[] | null {
  if (given === undefined) return null;
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const other = list.find((name) => typeof name !== 'string');
  const names =
    other === undefined ? readHostNames(list.map(String)) : `${shortValue(other)} is not the name of a host`;
  if (typeof names !== 'string') return names;
  throw invalidInput(
    'hosts',
    names,
    'Write "hosts: all", or "hosts: [gpu1, gpu2]" with names of "hosts list".',
  );
}

function readAxes({ matrix, name, hosts, ...rest }: Tree): MatrixFile {
  if (!isTree(matrix) || Object.keys(matrix).length === 0) {
    throw invalidInput('matrix', 'The matrix has no axes', example);
  }
  const axes = Object.entries(matrix).map(([key, given]) => axisOf(key, given));
  const paths = axes.map(({ path }) => path);
  const double = paths.find((path, at) => paths.indexOf(path) !== at);
  if (double !== undefined) throw invalidInput('matrix', `Two axes set ${double}`, 'Remove one of them.');
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  if (count > mostRuns) {
    throw invalidInput(
      'matrix',
      `The matrix has ${count} runs; the limit is ${mostRuns}`,
      'Shorten its axes.',
    );
  }
  const common = commonTree(rest);
  const entries = combinations(axes).map((values): MatrixEntry => {
    const trees = values.map((value, at) => treeOfField(paths[at] ?? '', value));
    const overrides = withEngine(trees.reduce<Tree>(mergeTrees, common));
    const shownAxes = values.map((value, at): MatrixAxis => ({
      field: paths[at] ?? '',
      value: shown(value),
    }));
    return {
      preset: presetIn(overrides),
      overrides: { ...overrides },
      axes: shownAxes,
      refusal: null,
      notes: [],
    };
  });
  return { name: nameIn(name), hosts: hostsIn(hosts), entries };
}

/** Configurations of a published runner; their differences are the axes. */
function readRunner(tree: Tree, given: NamedPreset | null, presets: readonly NamedPreset[]): MatrixFile {
  const model = tree['model_name'];
  const id = typeof model === 'string' ? publishedModels[model] : undefined;
  const preset = given ?? presets.find((known) => known.id === id);
  if (preset === undefined) {
    const remedy = 'Add the preset before the options, for example: run tft --matrix <file>';
    throw invalidInput('[preset]', 'The runner configuration does not name the model of a preset', remedy);
  }
  const entries = runnerEntries(preset, tree);
  if (entries.length === 0) {
    throw invalidInput('configurations', 'The file contains no configuration', example);
  }
  const telling = tellingVariables(entries);
  return {
    name: null,
    hosts: null,
    entries: entries.map(({ overrides, notes, refusal }, at): MatrixEntry => ({
      preset: preset.id,
      overrides: { ...overrides },
      axes: telling.map(({ name, values }) => ({
        field: Object.hasOwn(upstreamVariables, name) ? (upstreamVariables[name]?.field ?? name) : name,
        value: shortText(values[at] ?? ''),
      })),
      refusal,
      notes,
    })),
  };
}

/** A given preset applies to all runs: the file must not name others. */
function withPreset(file: MatrixFile, preset: string | null): MatrixFile {
  const named = file.entries.find((entry) => entry.preset !== null)?.preset;
  if (preset === null || named === undefined) return file;
  const remedy = 'Leave the preset out of the command, or out of the file.';
  throw invalidInput(
    '[preset]',
    `The file already names its presets, ${shortText(named ?? '')} among them`,
    remedy,
  );
}

interface MatrixInput {
  readonly text: string;
  readonly fileName: string;
  readonly preset: string | null;
  readonly presets: readonly NamedPreset[];
}

/** Runs of a file: a published runner configuration, or axes of fields. Throws input-invalid with the unreadable key. */
export function readMatrix({ text, fileName, preset, presets }: MatrixInput): MatrixFile {
  const kind = specKind(text, fileName);
  const problem = kind === 'yaml' ? sizeProblem(kind, text) : 'A matrix is a YAML file.';
  if (problem !== null) throw invalidInput(fileName, problem.replace(/\.$/, ''), example);
  let tree: unknown;
  try {
    tree = parseYaml(text);
  } catch (cause) {
    if (cause instanceof WorkbenchError) throw cause;
    throw invalidInput(fileName, cause instanceof Error ? cause.message : String(cause), example);
  }
  if (isTree(tree) && isRunnerConfig(tree)) {
    const given =
      preset === null ? null : (presets.find(({ id }) => id === preset) ?? { id: preset, title: preset });
    return readRunner(tree, given, presets);
  }
  if (isTree(tree) && 'matrix' in tree) return withPreset(readAxes(tree), preset);
  throw invalidInput(fileName, 'The file has neither "matrix" nor "configurations"', example);
}
