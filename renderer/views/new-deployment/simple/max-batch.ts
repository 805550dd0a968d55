import { sameValue } from '../../../../main/contract/trees';

const numbersOf = (value: unknown): readonly number[] =>
  Array.isArray(value) ? value.filter((size) => typeof size === 'number') : [];

/** The default list as far as a maximum allows it; a list that must have a size has the maximum itself, or 1. */
function allowed(list: readonly number[], max: number, mayBeEmpty: boolean): readonly number[] {
  const kept = list.filter((size) => size <= max);
  return kept.length > 0 || mayBeEmpty ? kept : [Math.max(1, max)];
}

/**
 * A list that only follows the maximum keeps following it; a chosen one stays.
 * @returns the list to set; 'default': the default again; null: unchanged
 */
export function followMaximum(
  of: { readonly list: unknown; readonly defaults: unknown; readonly mayBeEmpty: boolean },
  before: number,
  after: number,
): readonly number[] | 'default' | null {
  const defaults = numbersOf(of.defaults);
  const follows =
    sameValue(of.list, defaults) || sameValue(of.list, allowed(defaults, before, of.mayBeEmpty));
  if (!follows) return null;
  const next = allowed(defaults, after, of.mayBeEmpty);
  if (sameValue(next, defaults)) return sameValue(of.list, defaults) ? null : 'default';
  return next;
}
