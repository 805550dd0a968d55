import type { MachineStatus } from '../../../main/contract/machine';
import type { Preset } from '../../../main/contract/preset';
import type { SpecProblem } from '../../../main/contract/spec-tools';
import type { Keys, Tree } from '../../stores/choice-tree';
import { getAt, mergeTrees, sameValue } from '../../stores/choice-tree';
import type { DraftState } from '../../stores/draft';
import type { Change } from './changes';
import { changesOf, defaultOf, engineDefaults } from './changes';
import type { Field, FieldContext } from './fields/field';
import { allFields } from './fields/sections';
import { problemsOf } from './problems';

export interface WizardModel {
  readonly preset: Preset;
  readonly context: FieldContext;
  readonly fields: readonly Field[];
  readonly problems: readonly SpecProblem[];
  readonly changes: readonly Change[];
  /** Nothing stands against starting the run, as far as the last answer tells. */
  readonly ready: boolean;
  readonly valueAt: (keys: Keys) => unknown;
  readonly defaultOf: (keys: Keys) => unknown;
  readonly isChanged: (keys: Keys) => boolean;
}

type Told = Pick<DraftState, 'preset' | 'overrides' | 'preview' | 'spec' | 'stale' | 'edit' | 'error'>;

const hasSpec = (preview: Told['preview']): boolean => (preview?.spec ?? null) !== null;

/** The values as they are chosen now, over what the core last said of the rest. */
function valuesOf(draft: Told): Tree {
  const { preview, spec, overrides } = draft;
  const last: Tree = spec === null ? {} : { ...spec };
  const fresh = !draft.stale && hasSpec(preview);
  const below = fresh ? last : mergeTrees(last, { ...preview?.defaults });
  const kind = getAt(overrides, ['engine', 'kind']) ?? getAt(below, ['engine', 'kind']);
  return [{ engine: engineDefaults(kind) }, below, overrides, { model: { preset: draft.preset } }].reduce(
    mergeTrees,
  );
}

/** Everything that the pages show of a draft. */
export function wizardModel(
  draft: Told,
  preset: Preset,
  presets: readonly Preset[],
  machine: MachineStatus | null,
): WizardModel {
  const values = valuesOf(draft);
  const defaults = draft.preview?.defaults ?? null;
  const context: FieldContext = { preset, presets, machine, value: (...keys) => getAt(values, keys) };
  const fields = allFields(context);
  const problems = problemsOf(fields, draft.overrides, draft.preview, draft.edit?.problem ?? null);
  return {
    preset,
    context,
    fields,
    problems,
    changes: changesOf(preset, defaults, draft.overrides),
    ready:
      draft.error === null &&
      hasSpec(draft.preview) &&
      !problems.some(({ severity }) => severity === 'problem'),
    valueAt: (keys) => getAt(values, keys),
    defaultOf: (keys) => defaultOf(preset, defaults, keys),
    isChanged: (keys) => {
      const chosen = getAt(draft.overrides, keys);
      return chosen !== undefined && !sameValue(chosen, defaultOf(preset, defaults, keys));
    },
  };
}
