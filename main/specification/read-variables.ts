import { isAbsolute } from 'node:path';
import type { Preset } from '../contract/run/preset';
import { formats, loadTools } from '../contract/run/run-spec';
import type { ImportedSpec } from '../contract/run/spec-tools';
import { refusalOfVariable, treeOf, upstreamVariables } from '../contract/run/upstream-variables';
import { isTree, mergeTrees, type Tree } from '../contract/trees';
import { shortText, someOf } from '../platform/lines';

const own = 'a run has its own folders';
const derived = null;
const image = 'choose the engine "docker" and its release or image';

/** Reason by published variable without a field; null for mere repetitions. Source: as `upstreamVariables`. */
const upstreamNotes: Readonly<Record<string, string | null>> = {
  WORKDIR: own,
  WORKSPACE_DIR: own,
  SHARED_DIR: own,
  MODEL_REPOSITORY_PATH: own,
  CHECKPOINTS_DIR: 'set the weights file (model.checkpoint)',
  CHECKPOINT_DIR: 'set the weights file (model.checkpoint)',
  CHECKPOINT_VARIANT: 'set the weights file (model.checkpoint)',
  CHECKPOINTS: 'set the weights file (model.checkpoint)',
  DATASET: 'set the absolute path of the data set (model.dataset)',
  DATASETS: 'set the absolute path of the data set (model.dataset)',
  EXPORT_FORMAT: derived,
  EXPORT_PRECISION: derived,
  FORMAT_SUFFIX: derived,
  CONFIG_FORMAT: derived,
  TORCH_JIT: 'set by the formats ts-trace and ts-script',
  SEQUENCE_LENGTH: "the preset's own arguments set the size of its inputs",
  TRITON_LOAD_MODEL_METHOD: 'models are always loaded explicitly',
  TRITON_SERVER_URL: 'for a running Triton, choose the engine "remote" and set its address',
  FRAMEWORK: derived,
  ENSEMBLE_MODEL_NAME: 'a run serves one model',
  CONTAINER_VERSION: image,
  TRITON_CONTAINER_IMAGE: image,
  TRITON_DOCKERFILE: image,
  TRITON_CUSTOM_OPERATIONS: 'custom operations are not loaded',
  NVIDIA_VISIBLE_DEVICES: 'choose the engine "docker" and its GPUs',
  MEASUREMENT_STEPS_OFFLINE: 'set the batch sizes (performance.batchSizes)',
  MEASUREMENT_STEPS_ONLINE: 'set the concurrencies (performance.concurrency)',
};

/** Values that ask for nothing beyond the usual. */
const usualValues: Readonly<Record<string, readonly string[]>> = {
  TRITON_LOAD_MODEL_METHOD: ['explicit'],
  TORCH_JIT: ['none'],
};

interface ReadVariables {
  readonly overrides: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
  /** Why the procedure cannot be taken; null where it can. */
  readonly refusal: string | null;
}

export type NamedPreset = Pick<Preset, 'id' | 'title'>;

type Variables = ReadonlyMap<string, string>;

const absent = (value: string | undefined): boolean => value === undefined || /^(null|~)?$/i.test(value);

/** `format` in our terms; the published SavedModels are made from such a file. */
function formatNotes(variables: Variables): { readonly format: string | null; readonly notes: string[] } {
  const wanted = variables.get('FORMAT');
  if (wanted === undefined) return { format: null, notes: [] };
  const known = (name: string | undefined) => formats.some((format) => format === name);
  if (known(wanted)) return { format: wanted, notes: [] };
  const exported = variables.get('EXPORT_FORMAT');
  const note = `FORMAT=${shortText(wanted)}: this format is not supported`;
  if (!known(exported) || exported === undefined)
    return { format: null, notes: [`${note}; kept unchanged.`] };
  return { format: exported, notes: [`${note}; ${exported}, from which it is built, is used.`] };
}

/** A parsed value, or the reason why the field cannot take it. */
function readValue(name: string, text: string): { readonly value: unknown } | { readonly reason: string } {
  const variable = upstreamVariables[name];
  if (variable === undefined) return { reason: 'unknown' };
  const value = variable.read(text);
  const numbers = Array.isArray(value) ? (value as unknown[]) : [value];
  if (numbers.some(Number.isNaN)) return { reason: `"${shortText(text)}" is not a number` };
  const isPath = variable.field === 'model.checkpoint' || variable.field === 'model.dataset';
  if (isPath && !isAbsolute(text)) return { reason: `"${shortText(text)}" is not an absolute path` };
  if (variable.field === 'performance.loadTool' && !loadTools.some((tool) => tool === value)) {
    return { reason: `"${shortText(text)}" is not supported; choose ${loadTools.join(' or ')}` };
  }
  return { value };
}

/** Why a variable without a field is left out; null: obvious. */
function omissionOf(name: string, text: string): string | null {
  const isUsual = usualValues[name]?.includes(text) === true;
  if (isUsual || refusalOfVariable(name, text) !== undefined) return null;
  const reason = Object.hasOwn(upstreamNotes, name) ? upstreamNotes[name] : 'it is unknown';
  return typeof reason === 'string' ? reason : null;
}

const refusalIn = (variables: Variables): string | null =>
  [...variables].flatMap(([name, text]) => refusalOfVariable(name, text) ?? [])[0] ?? null;

function fixedNotes(preset: NamedPreset, variables: Variables): readonly string[] {
  const notes: string[] = [];
  const exported = variables.get('EXPORT_PRECISION');
  if (exported !== undefined && exported !== 'fp32') {
    notes.push(
      `EXPORT_PRECISION=${shortText(exported)}: the export is fp32 here; the conversion gives the precision.`,
    );
  }
  const model = variables.get('MODEL_NAME');
  if (model !== undefined && model.toLowerCase() !== preset.id) {
    notes.push(
      `MODEL_NAME=${shortText(model)}: used as the name on Triton; the model stays ${preset.title}.`,
    );
  }
  return notes;
}

/** Overrides, and notes on variables without a field. Null, empty and usual values are skipped silently. */
export function readVariables(preset: NamedPreset, given: Variables): ReadVariables {
  const variables: Variables = new Map(
    [...given].map(([name, value]) => [name, value.trim()] as const).filter(([, value]) => !absent(value)),
  );
  const notes: string[] = [];
  const without = new Map<string, string[]>();
  let overrides: Readonly<Record<string, unknown>> = {};
  const { format, notes: ofFormat } = formatNotes(variables);
  notes.push(...ofFormat);
  if (format !== null) overrides = treeOf('format', format);
  for (const [name, text] of variables) {
    if (name === 'FORMAT') continue;
    if (Object.hasOwn(upstreamVariables, name)) {
      const read = readValue(name, text);
      if ('reason' in read) notes.push(`${name}: ${read.reason}; left out.`);
      else overrides = mergeTrees(overrides, treeOf(upstreamVariables[name]?.field ?? name, read.value));
      continue;
    }
    const reason = omissionOf(name, text);
    if (reason === null) continue;
    const names = without.get(reason);
    if (names === undefined) without.set(reason, [name]);
    else names.push(name);
  }
  for (const [reason, names] of without) notes.push(`${someOf(names)}: ${reason}; left out.`);
  if (variables.has('REQUEST_COUNT') && !variables.has('MEASUREMENT_MODE')) {
    overrides = mergeTrees(overrides, treeOf('performance.measurementMode', 'count_windows'));
    notes.push(
      'REQUEST_COUNT: windows are measured by the count of their requests, as the published runner does.',
    );
  }
  notes.push(...fixedNotes(preset, variables));
  return { overrides, notes, refusal: refusalIn(variables) };
}

export function isRunnerConfig(tree: Tree): boolean {
  return Array.isArray(tree['configurations']);
}

/** As the runner exports a YAML value to its stages; of a list of named things, the names. */
function text(value: unknown): string {
  if (Array.isArray(value)) return value.map(text).join(',');
  if (isTree(value) && typeof value['name'] === 'string') return value['name'];
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const upper = (tree: Tree) =>
  Object.entries(tree).map(([name, value]) => [name.toUpperCase(), text(value)] as const);

export interface RunnerEntry {
  readonly source: ImportedSpec['source'];
  /** As exported to the runner's stages. */
  readonly variables: ReadonlyMap<string, string>;
  readonly overrides: Tree;
  readonly notes: readonly string[];
  readonly refusal: string | null;
}

/** Local path of a named checkpoint or data set; published ones have `name` and `url`, and no `path`. */
function namedPath(list: unknown, name: string | undefined): string | null {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const path = items.filter(isTree).find((item) => item['name'] === name)?.['path'];
  return typeof path === 'string' ? path : null;
}

function runnerEntry(preset: NamedPreset, rest: Tree, configuration: unknown): RunnerEntry {
  if (!isTree(configuration)) {
    const refusal = 'The configuration is not a mapping of parameters.';
    return { source: 'runner-yaml-1', variables: new Map(), overrides: {}, notes: [], refusal };
  }
  const nested = configuration['parameters'];
  // The checkpoint is named, not given by path.
  const { checkpoint, ...parameters } = isTree(nested) ? nested : configuration;
  const named = new Map([
    ...upper(rest),
    ...upper(checkpoint === undefined ? {} : { checkpoint_variant: checkpoint }),
    ...upper(parameters),
  ]);
  const read = new Map(named);
  for (const [name, variable, list] of [
    ['CHECKPOINT_VARIANT', 'CHECKPOINT', rest['checkpoints']],
    ['DATASET', 'DATASETS_DIR', rest['datasets']],
  ] as const) {
    const path = namedPath(list, named.get(name));
    if (path === null) continue;
    read.delete(name);
    read.set(variable, path);
  }
  const source = isTree(nested) ? 'runner-yaml-2' : 'runner-yaml-1';
  return { source, variables: named, ...readVariables(preset, read) };
}

/** Every configuration of a runner's file, in order; one that cannot run has a refusal. */
export function runnerEntries(preset: NamedPreset, tree: Tree): readonly RunnerEntry[] {
  const { configurations, ...rest } = tree;
  const list: readonly unknown[] = Array.isArray(configurations) ? configurations : [];
  return list.map((configuration) => runnerEntry(preset, rest, configuration));
}

/** Repetitions, and variables that do not distinguish configurations. */
const notTelling: ReadonlySet<string> = new Set(
  Object.entries(upstreamNotes).flatMap(([name, note]) => (note === derived ? [name] : [])),
);

/** Variables in which configurations differ, with values; of equally varying ones the first. */
export function tellingVariables(
  entries: readonly Pick<RunnerEntry, 'variables'>[],
): readonly { readonly name: string; readonly values: readonly string[] }[] {
  const names = [...new Set(entries.flatMap(({ variables }) => [...variables.keys()]))];
  const found = new Map<string, { readonly name: string; readonly values: readonly string[] }>();
  for (const name of names) {
    const values = entries.map(({ variables }) => variables.get(name) ?? '');
    const key = JSON.stringify(values);
    if (notTelling.has(name) || new Set(values).size < 2 || found.has(key)) continue;
    found.set(key, { name, values });
  }
  return [...found.values()];
}

/** Distinguishing names: "electricity_bin, trt". */
function namesOf(entries: readonly RunnerEntry[]): readonly string[] {
  const telling = tellingVariables(entries);
  return entries.map((_entry, at) => {
    const values = telling.map(({ values: each }) => each[at] ?? '').filter((value) => value !== '');
    return shortText(values.join(', '));
  });
}

const othersNote = (names: readonly string[], number: number): string => {
  const list = someOf(names.map((name, at) => `${at + 1} (${name})`));
  return (
    `The file has ${names.length} configurations: ${list}. Configuration ${number} was used. On the command line, ` +
    '"--configuration <n>" uses another one and "run --matrix <file>" runs all of them.'
  );
};

/**
 * A runner configuration: parameters flat (Temporal Fusion Transformer, 1), or below `parameters` (Wide & Deep, 2). Takes
 * one configuration and notes the others. @param number from 1
 */
export function importRunner(preset: NamedPreset, tree: Tree, number = 1): ImportedSpec {
  const entries = runnerEntries(preset, tree);
  const taken = entries[number - 1];
  const source = taken?.source ?? 'runner-yaml-1';
  if (entries.length === 0) return { source, choice: null, notes: ['The file contains no configuration.'] };
  if (taken === undefined) {
    const notes = [`The file has no configuration ${number}: it has ${entries.length}.`];
    return { source, choice: null, notes };
  }
  const { overrides, notes, refusal } = taken;
  const names = namesOf(entries);
  const isOnly = names.length === 1;
  const shared = { source, ...(isOnly ? {} : { configurations: { names, taken: number } }) };
  const others = isOnly ? [] : [othersNote(names, number)];
  if (refusal !== null) return { ...shared, choice: null, notes: [refusal, ...others] };
  const choice = { preset: preset.id, overrides: { ...overrides } };
  return { ...shared, choice, notes: [...others, ...notes] };
}
