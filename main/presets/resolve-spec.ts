import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { baseDefaults, defaultOf, fieldAt, fields } from '../contract/fields/fields';
import { didYouMean, nearestName } from '../contract/fields/nearest-name';
import { sbatchOptions } from '../contract/job/job-engines';
import { visibleGpus } from '../contract/run/engine-kinds';
import type { Preset } from '../contract/run/preset';
import { scenarios } from '../contract/run/run-events';
import {
  dockerEngineSchema,
  engines,
  formats,
  precisions,
  profiles,
  type RunSpec,
  runSpecSchema,
} from '../contract/run/run-spec';
import { ofScenario } from '../contract/run/sweep';
import { isTree, mergeTrees, type Tree, unsetAt } from '../contract/trees';
import { withoutUntypedWarmup } from '../domain/run/arrival-rules';
import { instancesText } from '../domain/run/serving';
import {
  chosenGpu,
  gpuDefaultsOff,
  gpuEngine,
  layersWithoutGpu,
  onlineConcurrency,
  publishedLayers,
} from './gpu-defaults';
import { ruleFindings } from './spec-rules';

const mostIssues = 100;

/** Another place of the same name ("performance.concurrency" for "concurrency"), or a similar name in its own; or null. */
function meantField(parent: string, key: string): string | null {
  const under = parent === '' ? '' : `${parent}.`;
  const names = fields
    .filter(({ internal = false }) => !internal)
    .map(({ path }) => path.replace(/\.\*$/, ''));
  const [same, another] = names.filter((name) => name.endsWith(`.${key}`));
  if (same !== undefined && another === undefined) return same;
  const beside = new Set(
    names
      .filter((name) => name.startsWith(under))
      .map((name) => name.slice(under.length).split('.')[0] ?? ''),
  );
  const near = nearestName(key, [...beside]);
  return near === null ? null : `${under}${near}`;
}

/** Remedy for an unknown `key` of `path`: the engine it belongs to, or where valid names are. */
export function unknownFieldRemedy(path: readonly PropertyKey[], key: string): string {
  const parent = path.join('.');
  if (parent === 'engine.options') return `Use one of ${sbatchOptions.join(', ')}.`;
  const another = fields.find((row) => parent === 'engine' && `${row.path}.`.startsWith(`engine.${key}.`));
  if (another?.onlyWith !== undefined) {
    return `It applies only with ${another.onlyWith.text}. Choose the engine that has it, or remove it.`;
  }
  const [section] = path;
  const listing = section === undefined ? 'fields' : `fields ${String(section)}`;
  const meant = meantField(parent, key);
  if (meant !== null) return `Did you mean ${meant}? If not, the command "${listing}" lists the names.`;
  return `Check its name, or remove it: the command "${listing}" lists the names.`;
}

/** Throws spec-invalid with dotted paths. */
export function parseSpec(value: unknown): RunSpec {
  // To compile parsers takes as long as to read some hundred specifications without.
  const parsed = runSpecSchema.safeParse(value, { jitless: true });
  if (parsed.success) return parsed.data;
  // A foreign file may have thousands.
  const found = parsed.error.issues
    .slice(0, mostIssues)
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys
            .slice(0, mostIssues)
            .map((key) => ({ field: [...issue.path, key].join('.'), message: 'unknown field' }))
        : [{ field: issue.path.join('.') || 'the specification', message: issue.message }],
    );
  const [first] = parsed.error.issues;
  const lines = found.map(({ field, message }) => `${field}: ${message}`);
  throw new WorkbenchError('spec-invalid', lines[0] ?? 'not valid', {
    where: found[0]?.field,
    remedy:
      first?.code === 'unrecognized_keys' ? unknownFieldRemedy(first.path, first.keys[0] ?? '') : undefined,
    ...(lines.length > 1 ? { details: lines.join('\n') } : {}),
  });
}

const oneOf = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((known) => known === value);

/** Thresholds apply to the preset's own weights and data only. */
function withoutThresholds(tree: Tree): Tree {
  const accuracy = isTree(tree['accuracy']) ? tree['accuracy'] : {};
  return { ...tree, accuracy: { ...accuracy, thresholds: {} } };
}

/** The seeds' online sweep unless another is set; `concurrency: formula` overrides a preset's list with it. */
function withOnlineSweep(tree: Tree): Tree {
  const performance = isTree(tree['performance']) ? tree['performance'] : {};
  const configure = isTree(tree['configure']) ? tree['configure'] : {};
  const { concurrency, ...rest } = performance;
  const listed = concurrency !== undefined && concurrency !== 'formula';
  const sizes = z.object({ maxBatchSize: z.int().min(0), instances: z.int().min(1) }).safeParse(configure);
  // Invalid numbers are reported by the schema of the whole.
  if (listed || !sizes.success) return mergeTrees({ performance: { onlineBatchSize: 1 } }, tree);
  const { maxBatchSize, instances } = sizes.data;
  const engine = dockerEngineSchema.safeParse(tree['engine']);
  // Each GPU has all instances.
  const gpus = Math.max(1, engine.success ? (visibleGpus(engine.data)?.length ?? 1) : 1);
  const sweep = onlineConcurrency({
    maxBatchSize: Math.max(1, maxBatchSize),
    modelInstances: instances * gpus,
  });
  const { onlineBatchSize = sweep.batchSize } = rest;
  return { ...tree, performance: { ...rest, concurrency: [...sweep.concurrency], onlineBatchSize } };
}

type ProfileName = (typeof profiles)[number];
type Profile = NonNullable<Preset['profiles'][ProfileName]>;

function chosenProfile(
  preset: Preset,
  wanted: unknown,
): { readonly name: ProfileName; readonly profile: Profile } {
  const name = oneOf(profiles, wanted);
  const profile = name === undefined ? undefined : preset.profiles[name];
  if (name !== undefined && profile !== undefined) return { name, profile };
  const names = Object.keys(preset.profiles);
  throw new WorkbenchError(
    'spec-invalid',
    `${preset.id} has no profile ${JSON.stringify(wanted)}${didYouMean(wanted, names)}; it has: ${names.join(', ')}`,
    { where: 'model.profile' },
  );
}

/** The GPU with published values, and whether the run uses it. */
function gpuOf(preset: Preset, profile: ProfileName, overrides: Tree) {
  const target = chosenGpu(preset, overrides);
  const off = gpuDefaultsOff(profile, overrides['engine']);
  const gpu = target === null || off === 'quick' ? undefined : target;
  const published = gpu === undefined ? undefined : preset.byGpu?.[gpu];
  return {
    gpu,
    onGpu: gpu !== undefined && off === null,
    publishedFormat: published?.defaults['format'],
  };
}

function placeOf({ engine = {} }: Tree, onGpu: boolean) {
  const unsaid = onGpu ? 'docker' : defaultOf(fieldAt('engine.kind'));
  return oneOf(engines, isTree(engine) ? (engine['kind'] ?? unsaid) : undefined);
}

function ofPrecision(profile: Profile, overrides: Tree, underneath: Tree): Tree {
  const precision = oneOf(precisions, overrides['precision'] ?? underneath['precision']);
  return (
    (precision === undefined || precision === 'as-is' ? undefined : profile.byPrecision?.[precision]) ?? {}
  );
}

/**
 * Merges all layers of a choice, unchecked. Later ones win: base, preset, profile (each with its part for the format),
 * published values of a chosen GPU, the profile's part for the precision, overrides. Throws spec-invalid for an unknown
 * profile.
 */
export function layerSpec(preset: Preset, overrides: Tree): Tree {
  const wantedModel = isTree(overrides['model']) ? overrides['model'] : {};
  const { name, profile } = chosenProfile(preset, wantedModel['profile'] ?? 'quick');
  const { gpu, onGpu, publishedFormat } = gpuOf(preset, name, overrides);
  const place = placeOf(overrides, onGpu);
  const ownFormat = profile.defaults['format'] ?? preset.defaults['format'] ?? baseDefaults['format'];
  // A plan is built in containers with a GPU, and served only there.
  const planElsewhere = publishedFormat === 'trt' && !(onGpu && place === 'docker');
  const format = oneOf(
    formats,
    overrides['format'] ?? (planElsewhere ? undefined : publishedFormat) ?? ownFormat,
  );
  const ofFormat = (layer: Preset['byFormat']): Tree => (format === undefined ? {} : (layer?.[format] ?? {}));
  const own = [
    { model: { preset: preset.id, profile: name, args: profile.args }, configure: { modelName: preset.id } },
    preset.defaults,
    ofFormat(preset.byFormat),
    profile.defaults,
    ofFormat(profile.byFormat),
    place === undefined ? {} : (profile.byEngine?.[place] ?? {}),
  ].reduce<Tree>(mergeTrees, baseDefaults);
  const gpuLayers = (): readonly Tree[] => {
    if (gpu === undefined) return [];
    if (!onGpu)
      return layersWithoutGpu(publishedLayers(preset, gpu, { format, place: undefined }), own, format);
    const formatHere = planElsewhere ? [{ format: ownFormat }] : [];
    return [...publishedLayers(preset, gpu, { format, place }), ...formatHere, gpuEngine(overrides)];
  };
  // Published values win over the profile, whose values are for a CPU.
  const underneath = gpuLayers().reduce(mergeTrees, own);
  const presetDefaults = mergeTrees(underneath, ofPrecision(profile, overrides, underneath));
  const ownInputs = wantedModel['checkpoint'] !== undefined || wantedModel['dataset'] !== undefined;
  const defaults = ownInputs ? withoutThresholds(presetDefaults) : presetDefaults;
  return withoutUntypedWarmup(withOnlineSweep(mergeTrees(defaults, overrides)), overrides);
}

/** Throws spec-invalid or combination-unsupported for rules beyond the schema. */
export function requireRules(preset: Preset, spec: RunSpec): void {
  const findings = ruleFindings(preset, spec).filter((finding) => finding.severity === 'problem');
  const [first] = findings;
  if (first === undefined) return;
  throw new WorkbenchError(
    first.code,
    first.code === 'spec-invalid' ? `${first.field}: ${first.message}` : first.message,
    {
      where: first.field,
      remedy: first.remedy ?? undefined,
      details:
        findings.length > 1
          ? findings.map(({ field, message }) => `${field}: ${message}`).join('\n')
          : undefined,
    },
  );
}

/** The complete specification of a choice. Throws spec-invalid or combination-unsupported naming the field. */
export function resolveSpec(preset: Preset, overrides: Tree): RunSpec {
  const spec = parseSpec(layerSpec(preset, overrides));
  requireRules(preset, spec);
  return spec;
}

/** Load fields that the published procedures decide. */
const procedureFields = ['loadTool', 'protocol', 'sharedMemory', 'measurementMode'] as const;

/** The published procedure on the run's GPU; null where there is none. */
function publishedSpec(preset: Preset, { targetGpu, format, precision }: RunSpec): RunSpec | null {
  if (targetGpu === undefined || preset.byGpu?.[targetGpu] === undefined) return null;
  try {
    const engine = { kind: 'docker', gpus: ['idlest'] };
    return parseSpec(layerSpec(preset, { model: { profile: 'full' }, targetGpu, engine, format, precision }));
  } catch {
    // Another version's preset may lack the run's choices.
    return null;
  }
}

/** One line per difference from the published procedure: "Protocol, online: gRPC; published: HTTP". */
export function procedureDifferences(preset: Preset, spec: RunSpec): readonly string[] {
  const published = publishedSpec(preset, spec);
  if (published === null) return [];
  const several = (visibleGpus(spec.engine)?.length ?? 0) > 1;
  const onGpus = several
    ? [`Model instances: ${instancesText(spec)}; published: ${instancesText(published)}`]
    : [];
  const load = procedureFields.flatMap((name) => {
    const { label, choices = {} } = fieldAt(`performance.${name}`);
    const lines = scenarios.flatMap((scenario) => {
      const ran = ofScenario(spec.performance, scenario)[name];
      const was = ofScenario(published.performance, scenario)[name];
      return ran === was
        ? []
        : [{ scenario, text: `${choices[ran] ?? ran}; published: ${choices[was] ?? was}` }];
    });
    const [first, second] = lines;
    if (first !== undefined && first.text === second?.text) return [`${label}: ${first.text}`];
    return lines.map(({ scenario, text }) => `${label}, ${scenario}: ${text}`);
  });
  return [...load, ...onGpus];
}

type Path = readonly string[];

/** Single values despite nesting: a JSON merge patch, and an own model's tensors. */
const whole: ReadonlySet<string> = new Set(['configure.configPatch', 'model.source']);

/** Fields that decide other defaults, in the order of being tried last: all other defaults are taken under the run's values. */
const deciding: readonly string[] = [
  'configure.maxBatchSize',
  'configure.instances',
  'model.dataset',
  'model.checkpoint',
  'precision',
  'format',
  'engine',
  'model.profile',
  'targetGpu',
];

function leavesOf(tree: Tree, to: Path = []): readonly Path[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const path = [...to, key];
    const branches = isTree(value) && Object.keys(value).length > 0 && !whole.has(path.join('.'));
    return branches ? leavesOf(value, path) : [path];
  });
}

/** Higher is tried later. An engine's fields come before its kind, which they need. */
function rank(path: Path): number {
  const at = deciding.findIndex((field) => path.join('.').startsWith(field));
  return at === -1 ? -1 : at + (path.join('.') === 'engine.kind' ? 0.5 : 0);
}

function led(preset: Preset, overrides: Tree): RunSpec | null {
  try {
    return parseSpec(layerSpec(preset, overrides));
  } catch {
    return null;
  }
}

/** A published GPU implies containers, and engine fields belong to a kind: both need the kind. */
function needsEngine(overrides: Tree): boolean {
  const engine = isTree(overrides['engine']) ? overrides['engine'] : {};
  return overrides['targetGpu'] !== undefined || Object.keys(engine).some((key) => key !== 'kind');
}

/**
 * Smallest overrides that lead from the preset to the specification, under the same precision, format, profile and
 * engine, so that another precision brings its own tolerances.
 * @param preset of the specification's model; where it no longer leads to it, all differences are kept
 */
export function minimalOverrides(preset: Preset, spec: RunSpec): Tree {
  const all = unsetAt(unsetAt({ ...spec }, ['version']), ['model', 'preset']);
  const wanted = led(preset, all);
  if (wanted === null) return all;
  const byRank = leavesOf(all).toSorted((a, b) => rank(a) - rank(b));
  return byRank.reduce<Tree>((kept, path) => {
    const fewer = unsetAt(kept, path);
    if (path.join('.') === 'engine.kind' && needsEngine(kept)) return kept;
    return isDeepStrictEqual(led(preset, fewer), wanted) ? fewer : kept;
  }, all);
}
