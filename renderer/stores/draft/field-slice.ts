import { type Precision, precisions } from '../../../main/contract/run/run-spec';
import { getAt, type Keys, mergeTrees, setAt, type Tree, unsetAt } from '../../../main/contract/trees';
import type { DraftSession } from './draft-session';
import type { DraftAccess, DraftState } from './draft-state';

const engineKindKeys = ['engine', 'kind'] as const;

const isEngineKind = (keys: Keys): boolean => keys.join('.') === engineKindKeys.join('.');

const precisionOf = ({ preview, spec }: DraftState, overrides: Tree): unknown =>
  getAt(overrides, ['precision']) ?? preview?.defaultPrecision ?? spec?.precision;

const tolerances = ['atol', 'rtol', 'maxMismatch'] as const;

export const isTolerance = ([section, name]: Keys): boolean =>
  section === 'accuracy' && tolerances.some((known) => known === name);

const hasTolerances = (overrides: Tree): boolean =>
  tolerances.some((name) => getAt(overrides, ['accuracy', name]) !== undefined);

const withoutTolerances = (overrides: Tree): Tree =>
  tolerances.reduce<Tree>((tree, name) => unsetAt(tree, ['accuracy', name]), overrides);

/** Chosen tolerances stay with another precision, and what they were chosen under is kept with them. */
function tolerancesAfter(state: DraftState, keys: Keys, next: Tree): Precision | null {
  if (!hasTolerances(next) || isTolerance(keys)) return null;
  if (keys.join('.') !== 'precision') return state.tolerancesOf;
  const before = precisionOf(state, state.overrides);
  const of = state.tolerancesOf ?? precisions.find((known) => known === before) ?? null;
  return of === precisionOf(state, next) ? null : of;
}

/** A field of an engine keeps the kind that it was changed in, whatever becomes the default. */
function withEngineKind({ overrides, spec }: DraftState, [section]: Keys): Tree {
  if (section !== 'engine') return overrides;
  const kind = getAt(overrides, engineKindKeys) ?? spec?.engine.kind;
  return kind === undefined ? overrides : setAt(overrides, engineKindKeys, kind);
}

/** For a published GPU, on this engine where none is chosen; null: on that of the published deployment. */
function withTarget(overrides: Tree, targetGpu: string, engine: Tree | null): Tree {
  const isChosen = getAt(overrides, ['engine', 'kind']) !== undefined;
  const placed = engine === null || isChosen ? overrides : mergeTrees({ engine }, overrides);
  return { ...placed, targetGpu };
}

export function fieldSlice(
  { get, set }: DraftAccess,
  { edited, files }: DraftSession,
  leaveText: () => void,
): Pick<DraftState, 'change' | 'reset' | 'chooseTarget' | 'setBudget' | 'setName' | 'useDefaultTolerances'> {
  const change = (keys: Keys, next: Tree): void => {
    set({ tolerancesOf: tolerancesAfter(get(), keys, next) });
    edited(next);
  };
  const noted = (part: Pick<DraftState, 'name'> | Pick<DraftState, 'p99BudgetMs'>): void => {
    set({ ...part, editedAt: new Date().toISOString() });
    files.saveSoon();
  };
  return {
    change: (keys, value) => {
      leaveText();
      // Another kind of engine has other fields.
      if (isEngineKind(keys)) edited({ ...get().overrides, engine: { kind: value } });
      else change(keys, setAt(withEngineKind(get(), keys), keys, value));
    },
    reset: (keys) => {
      leaveText();
      change(keys, unsetAt(get().overrides, isEngineKind(keys) ? ['engine'] : keys));
    },
    chooseTarget: (gpu, engine) => edited(withTarget(get().overrides, gpu, engine)),
    setBudget: (p99BudgetMs) => noted({ p99BudgetMs }),
    setName: (name) => noted({ name }),
    useDefaultTolerances: () => {
      set({ tolerancesOf: null });
      edited(withoutTolerances(get().overrides));
    },
  };
}
