import type { RunSpec } from '../../../main/contract/run/run-spec';
import type { ChangePlan, FieldChange } from '../../../main/contract/run/spec-tools';
import { getAt, sameValue } from '../../../main/contract/trees';
import { assignments } from './plan-text';

/** "3 of 5 measurements kept". */
export const keptText = ({ measured, kept }: Pick<ChangePlan, 'measured' | 'kept'>): string =>
  measured === 0 && kept === 0
    ? 'nothing measured yet'
    : `${kept} of ${Math.max(measured, kept)} measurement${Math.max(measured, kept) === 1 ? '' : 's'} kept`;

/** "2 changes: 3 steps to do, 3 of 5 measurements kept". */
export function planSummary(plan: ChangePlan): string {
  const { changed, steps } = plan;
  if (changed.length === 0) return 'No changes yet';
  const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
  return `${count(changed.length, 'change')}: ${count(steps.length, 'step')} to do, ${keptText(plan)}`;
}

/**
 * The command line that makes the same change; null where there is none: nothing changes, a field is taken away, or the name
 * of a tensor or metric has a dot, so that its path says too little.
 */
export function resumeCommand(
  runId: string,
  changed: readonly FieldChange[],
  spec: RunSpec,
): readonly string[] | null {
  const sets = changed.map(({ path, to }) => ({ keys: path.split('.'), to }));
  const canBeTyped = sets.every(({ keys, to }) => to !== undefined && sameValue(getAt(spec, keys), to));
  return sets.length === 0 || !canBeTyped
    ? null
    : ['triton-workbench', 'resume', runId, ...assignments(sets)];
}
