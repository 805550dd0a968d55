import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { toWire } from '../contract/errors';
import type { Signature } from '../contract/run/artefacts';
import type { Preset } from '../contract/run/preset';
import { type Precision, precisions, type RunSpec, runSpecSchema } from '../contract/run/run-spec';
import type { Choice, SpecProblem } from '../contract/run/spec-tools';
import { treeOf } from '../contract/run/upstream-variables';
import { isTree, mergeTrees, setAt, type Tree } from '../contract/trees';
import { formatOf, tensorPrecisionOf } from '../formats/formats';
import { generatedConfigOf } from '../formats/model-config-of';
import type { LoadedPreset } from '../presets/presets';
import { layerSpec, parseSpec, unknownFieldRemedy } from '../presets/resolve-spec';
import { atPrecision, signatureOf } from '../presets/signature';
import { ruleFindings } from '../presets/spec-rules';
import type { ModelConfig } from '../triton/model-config';

interface ReadChoice {
  /** null while the choice violates the schema. */
  readonly spec: RunSpec | null;
  /** With the preset's default for each invalid field; null where that fails too. */
  readonly nearest: RunSpec | null;
  readonly defaults: RunSpec | null;
  readonly problems: readonly SpecProblem[];
}

const at = (tree: unknown, key: PropertyKey): unknown =>
  isTree(tree) && typeof key === 'string' && Object.hasOwn(tree, key) ? tree[key] : undefined;

const picked = (tree: unknown, keys: readonly string[]): Tree =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const value = at(tree, key);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );

/** The preset's values under profile, precision, GPU, and the other deciding fields. */
function defaultsOf(preset: Preset, overrides: Tree): RunSpec | null {
  const chosen = {
    ...picked(overrides, ['precision', 'targetGpu']),
    model: picked(overrides['model'], ['profile']),
  };
  // Engine, format, weights and data decide other defaults, and are not defaults themselves.
  const deciding = {
    ...chosen,
    ...picked(overrides, ['engine', 'format']),
    model: picked(overrides['model'], ['profile', 'checkpoint', 'dataset']),
  };
  const tries: readonly { readonly under: Tree; readonly plain: Tree }[] = [
    { under: deciding, plain: chosen },
    ...[chosen, { model: chosen.model }, {}].map((tree) => ({ under: tree, plain: tree })),
  ];
  for (const { under, plain } of tries) {
    try {
      const given = parseSpec(layerSpec(preset, plain));
      if (isDeepStrictEqual(under, plain)) return given;
      const { engine, format, model } = given;
      return { ...parseSpec(layerSpec(preset, under)), engine, format, model };
    } catch {
      // Unknown profiles and precisions are reported at their field.
    }
  }
  return null;
}

/** Precision where left out; undefined where the rest is invalid. */
export function defaultPrecision(preset: Preset, { overrides }: Choice): Precision | undefined {
  const rest = Object.fromEntries(Object.entries(overrides).filter(([key]) => key !== 'precision'));
  const found = at(layersOf(preset, rest).tree, 'precision');
  return precisions.find((known) => known === found);
}

function withoutKeys(tree: Tree, path: readonly PropertyKey[], keys: readonly string[]): Tree {
  const [head, ...rest] = path;
  if (head === undefined)
    return Object.fromEntries(Object.entries(tree).filter(([key]) => !keys.includes(key)));
  const inner = at(tree, head);
  return isTree(inner) ? { ...tree, [String(head)]: withoutKeys(inner, rest, keys) } : tree;
}

/** Placeholder for a missing address, so that the rules of a remote Triton apply. */
const anyAddress = 'http://localhost:8000';

/** Above this, whole sections are replaced, and no more misfits reported. */
const mostMisfits = 100;

/** Replaces an invalid field by the preset's value, or removes it. */
function withoutMisfit(tree: Tree, path: readonly PropertyKey[], defaults: RunSpec): Tree {
  const [section] = path;
  if (section === undefined) return tree;
  if (path.join('.') === 'engine.url') return mergeTrees(tree, treeOf('engine.url', anyAddress));
  let value: unknown = defaults;
  for (const [depth, key] of path.entries()) {
    const next = at(value, key);
    if (next === undefined && isTree(value)) {
      const before = path.slice(0, depth).reduce(at, tree);
      const removable = isTree(before) && Object.hasOwn(before, key);
      // A missing required field belongs to another kind of section.
      if (!removable) return { ...tree, [String(section)]: at(defaults, section) };
      return withoutKeys(tree, path.slice(0, depth), [String(key)]);
    }
    // A list is replaced as a whole.
    if (next === undefined) return mergeTrees(tree, setAt({}, path.slice(0, depth).map(String), value));
    value = next;
  }
  return mergeTrees(tree, setAt({}, path.map(String), value));
}

/** Repairs each misfit in a copy of the tree; with too many, whole sections are replaced. */
function repaired(tree: Tree, issues: readonly z.core.$ZodIssue[], defaults: RunSpec): Tree {
  if (issues.length > mostMisfits) {
    const sections = new Set(issues.flatMap(({ path: [section] }) => section ?? []));
    const kept = Object.entries(tree).filter(([key]) => Object.hasOwn(defaults, key) && !sections.has(key));
    const usual = [...sections].map((key) => [String(key), at(defaults, key)] as const);
    return Object.fromEntries([...kept, ...usual.filter(([, value]) => value !== undefined)]);
  }
  return issues.reduce<Tree>(
    (current, issue) =>
      issue.code === 'unrecognized_keys'
        ? withoutKeys(current, issue.path, issue.keys)
        : withoutMisfit(current, issue.path, defaults),
    tree,
  );
}

function issueProblems(issue: z.core.$ZodIssue): SpecProblem[] {
  const field = issue.path.join('.');
  const severity = 'problem';
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: field === '' ? key : `${field}.${key}`,
      severity,
      message: `Unknown field "${key}"`,
      remedy: unknownFieldRemedy(issue.path, key),
    }));
  }
  return [{ field, severity, message: issue.message, remedy: null }];
}

/** As many as a person can read, and the number of others. */
function shownProblems(issues: readonly z.core.$ZodIssue[]): SpecProblem[] {
  const all = issues.flatMap(issueProblems);
  const [shown, more] = [all.slice(0, mostMisfits), all.length - mostMisfits];
  if (more <= 0) return shown;
  const message = `${more} more fields are invalid`;
  return [
    ...shown,
    { field: '', severity: 'problem', message, remedy: 'Check that this is the right file.' },
  ];
}

/** Nesting depth of fields: one repair may uncover the next. */
const rounds = 4;

/** Layers of a choice; an invalid profile is dropped and reported. */
function layersOf(
  preset: Preset,
  overrides: Tree,
): { readonly tree: Tree; readonly problems: SpecProblem[] } {
  try {
    return { tree: layerSpec(preset, overrides), problems: [] };
  } catch (error) {
    const { message, where } = toWire(error);
    const { model, ...rest } = overrides;
    const [profile] = Object.keys(preset.profiles);
    const others = { ...(isTree(model) ? model : {}), profile };
    return {
      tree: layerSpec(preset, { ...rest, model: others }),
      problems: [{ field: where ?? '', severity: 'problem', message, remedy: null }],
    };
  }
}

/** Checks a choice against schema and rules, all problems at once; never throws. */
export function readChoice(preset: Preset, choice: Choice): ReadChoice {
  const defaults = defaultsOf(preset, choice.overrides);
  const layers = layersOf(preset, choice.overrides);
  const problems: SpecProblem[] = [...layers.problems];
  let { tree } = layers;
  for (let round = 0; round < rounds; round += 1) {
    const parsed = runSpecSchema.safeParse(tree, { jitless: true });
    if (parsed.success) {
      const failing = problems.map(({ field }) => field);
      const rules = ruleFindings(preset, parsed.data)
        .filter(({ field }) => !failing.some((bad) => field === bad || bad.startsWith(`${field}.`)))
        .map(({ field, severity, message, remedy }): SpecProblem => ({ field, severity, message, remedy }));
      const spec = failing.length === 0 ? parsed.data : null;
      return { spec, nearest: parsed.data, defaults, problems: [...problems, ...rules] };
    }
    const { issues } = parsed.error;
    // Problems that repairs uncover are not the person's.
    if (round === 0) problems.push(...shownProblems(issues));
    if (defaults === null) break;
    tree = repaired(tree, issues, defaults);
  }
  return { spec: null, nearest: null, defaults, problems };
}

/** Tensors of the served file. Throws spec-invalid. */
export function servedSignature({ preset }: LoadedPreset, spec: RunSpec): Signature {
  return atPrecision(signatureOf(preset, spec), tensorPrecisionOf(spec));
}

/** config.pbtxt from fields, compatible or not. Throws spec-invalid, config-invalid. */
export function generatedConfig(loaded: LoadedPreset, spec: RunSpec): ModelConfig {
  return generatedConfigOf({
    spec,
    signature: servedSignature(loaded, spec),
    format: formatOf(spec.format),
  });
}
