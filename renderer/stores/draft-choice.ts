import type { Keys, Tree } from '../../main/contract/trees';
import { getAt, isTree, mergeTrees, unsetAt } from '../../main/contract/trees';

const patchKeys = ['configure', 'configPatch'] as const;

/** Fields laid over the choice; what was edited by hand before gives way to what is edited by hand now. */
export function withEdit(overrides: Tree, edit: Tree): Tree {
  const patch = getAt(edit, patchKeys);
  const merged = mergeTrees(overrides, edit);
  return isTree(patch) && Object.keys(patch).length === 0 ? unsetAt(merged, patchKeys) : merged;
}

/** For a published GPU, on this engine where none is chosen; null: on that of the published deployment. */
export function withTarget(overrides: Tree, targetGpu: string, engine: Tree | null): Tree {
  const isChosen = getAt(overrides, ['engine', 'kind']) !== undefined;
  const placed = engine === null || isChosen ? overrides : mergeTrees({ engine }, overrides);
  return { ...placed, targetGpu };
}

const tolerances = ['atol', 'rtol', 'maxMismatch'] as const;

export const isTolerance = ([section, name]: Keys): boolean =>
  section === 'accuracy' && tolerances.some((known) => known === name);

export const hasTolerances = (overrides: Tree): boolean =>
  tolerances.some((name) => getAt(overrides, ['accuracy', name]) !== undefined);

/** With those of the precision in their place. */
export const withoutTolerances = (overrides: Tree): Tree =>
  tolerances.reduce<Tree>((tree, name) => unsetAt(tree, ['accuracy', name]), overrides);
