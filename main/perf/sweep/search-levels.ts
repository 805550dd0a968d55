import { largestOf, smallestOf } from '../../contract/extremes';

/** A level that was tried: its place in the ascending list, and whether its p99 was within the budget. */
export interface TriedLevel {
  readonly index: number;
  /** False also for a level without a result. */
  readonly within: boolean;
}

/**
 * Which level of an ascending list to measure next, or null when the last one within the budget is known. Linear: one after
 * the other until the first that is not within it. Binary: both ends, then always the middle between the last within
 * and the first beyond, so log2 of the list and two. Pure: a search that was cut off goes on from what was tried.
 */
export function nextLevel(
  search: 'linear' | 'binary',
  count: number,
  tried: readonly TriedLevel[],
): number | null {
  const beyond = Math.min(count, smallestOf(tried.filter(({ within }) => !within).map(({ index }) => index)));
  const below = tried.filter(({ index, within }) => within && index < beyond).map(({ index }) => index);
  const within = Math.max(-1, largestOf(below));
  if (search === 'linear') return within + 1 < beyond ? within + 1 : null;
  const isTried = (index: number) => tried.some((level) => level.index === index);
  if (beyond === 0 || beyond - within <= 1) return null;
  if (within < 0 && !isTried(0)) return 0;
  if (beyond === count && !isTried(count - 1)) return count - 1;
  return Math.floor((within + beyond) / 2);
}

/** The place of the last tried level within the budget; null when none was. */
export function lastWithin(tried: readonly TriedLevel[]): number | null {
  const beyond = smallestOf(tried.filter(({ within }) => !within).map(({ index }) => index));
  const below = tried.filter(({ index, within }) => within && index < beyond).map(({ index }) => index);
  return below.length === 0 ? null : largestOf(below);
}
