import type { MachineStatus } from '../../../main/contract/machine';
import type { Preset } from '../../../main/contract/run/preset';
import { type RunSpec, runSpecSchema } from '../../../main/contract/run/run-spec';
import type { SpecProblem, StartProblem } from '../../../main/contract/run/spec-tools';
import type { Settings } from '../../../main/contract/settings/settings';
import { getAt, type Keys, mergeTrees, sameValue, type Tree } from '../../../main/contract/trees';
import type { DraftState } from '../../stores/draft/draft-state';
import { type Change, changesOf, defaultOf, engineDefaults } from './changes';
import type { Field, FieldContext } from './fields/field';
import { engineForTarget } from './fields/model-fields';
import { allFields } from './fields/sections';
import { problemsOf, withStartProblems } from './problems';

export interface WizardModel {
  readonly preset: Preset;
  readonly context: FieldContext;
  readonly fields: readonly Field[];
  readonly problems: readonly SpecProblem[];
  readonly changes: readonly Change[];
  readonly ready: boolean;
  readonly onlyPreflight: boolean;
  readonly valueAt: (keys: Keys) => unknown;
  readonly defaultOf: (keys: Keys) => unknown;
  readonly isChanged: (keys: Keys) => boolean;
}

type DraftView = Pick<
  DraftState,
  'preset' | 'overrides' | 'changing' | 'plan' | 'preview' | 'spec' | 'stale' | 'edit' | 'error'
>;

const hasSpec = (preview: DraftView['preview']): boolean => (preview?.spec ?? null) !== null;

function valuesOf(draft: DraftView): Tree {
  const { preview, spec, overrides } = draft;
  const last: Tree = spec === null ? {} : { ...spec };
  const fresh = !draft.stale && hasSpec(preview);
  const below = fresh ? last : mergeTrees(last, { ...preview?.defaults });
  const kind = getAt(overrides, ['engine', 'kind']) ?? getAt(below, ['engine', 'kind']);
  return [{ engine: engineDefaults(kind) }, below, overrides, { model: { preset: draft.preset } }].reduce(
    mergeTrees,
  );
}

/** The engine of the settings is the default; for a published GPU that GPU's, only where there can be one. */
function defaultsHere(
  { preview, overrides }: DraftView,
  machine: MachineStatus | null,
  ofSettings: Settings['deployment.engine'],
): RunSpec | null {
  const defaults = preview?.defaults ?? null;
  if (defaults !== null && ofSettings !== 'preset') {
    const parsed = runSpecSchema.shape.engine.safeParse({ kind: ofSettings });
    return parsed.success && defaults.engine.kind !== ofSettings
      ? { ...defaults, engine: parsed.data }
      : defaults;
  }
  const stays = overrides['targetGpu'] === undefined ? null : engineForTarget(machine);
  return defaults === null || stays === null ? defaults : { ...defaults, engine: stays };
}

export function wizardModel(
  draft: DraftView,
  preset: Preset,
  presets: readonly Preset[],
  machine: MachineStatus | null,
  startProblems: readonly StartProblem[] = [],
  ofSettings: Settings['deployment.engine'] = 'preset',
  hosts?: readonly string[],
): WizardModel {
  const values = valuesOf(draft);
  const defaults = defaultsHere(draft, machine, draft.changing === null ? ofSettings : 'preset');
  const precision = draft.preview?.defaultPrecision;
  const value: FieldContext['value'] = (...keys) => getAt(values, keys);
  const context: FieldContext = { preset, presets, machine, hosts, value };
  const fields = allFields(context);
  const problems = withStartProblems(
    problemsOf(fields, draft.overrides, draft.preview, draft.edit?.problem ?? null),
    startProblems,
  );
  const hard = problems.filter(({ severity }) => severity === 'problem');
  const complete =
    draft.error === null &&
    hasSpec(draft.preview) &&
    (draft.changing === null || (draft.plan?.changed.length ?? 0) > 0);
  return {
    preset,
    context,
    fields,
    problems,
    changes: changesOf(preset, defaults, draft.overrides, precision),
    ready: complete && hard.length === 0,
    onlyPreflight: complete && hard.length > 0 && hard.every(({ preflight }) => preflight === true),
    valueAt: (keys) => getAt(values, keys),
    defaultOf: (keys) => defaultOf(preset, defaults, keys, precision),
    isChanged: (keys) => {
      const chosen = getAt(draft.overrides, keys);
      return chosen !== undefined && !sameValue(chosen, defaultOf(preset, defaults, keys, precision));
    },
  };
}
