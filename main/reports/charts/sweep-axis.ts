/**
 * How the swept values are laid out: evenly when each is about twice the one before it (and they go far enough for that
 * to matter), by value else; one value alone has an axis of its own.
 */
export type SweepScale = 'single' | 'log2' | 'linear';

/** @param values ascending, without repeats. */
export function sweepScale(values: readonly number[]): SweepScale {
  if (values.length < 2) return 'single';
  const ratios = values.slice(1).map((value, index) => value / (values[index] ?? value));
  return ratios.every((ratio) => ratio >= 1.5) ? 'log2' : 'linear';
}
