import { expect, it } from 'vitest';
import { nextLevel, type TriedLevel } from '../../../../main/pipeline/measure/measure-levels';

/** Levels that a search tries where `most` levels are within the budget. */
function triedOf(count: number, most: number, precision: number): readonly number[] {
  const tried: TriedLevel[] = [];
  for (let index = nextLevel('binary', count, tried, precision); index !== null;) {
    tried.push({ index, within: index < most });
    index = nextLevel('binary', count, tried, precision);
  }
  return tried.map(({ index }) => index);
}

it('a binary search ends where the last level within and the first beyond are near enough', () => {
  // As perf_analyzer over 1:64:8: 1, 64, 32, 16, 24, 20 is not tried any more.
  expect(triedOf(64, 21, 8).map((index) => index + 1)).toEqual([1, 64, 32, 16, 24]);
  expect(triedOf(64, 64, 8).map((index) => index + 1)).toEqual([1, 64]);
  expect(triedOf(64, 0, 8).map((index) => index + 1)).toEqual([1]);
  expect(triedOf(5, 3, 1)).toEqual([0, 4, 2, 3]);
});
