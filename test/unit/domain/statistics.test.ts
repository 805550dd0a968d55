import { expect, it } from 'vitest';
import { largestOf, medianInterval, smallestOf } from '../../../main/domain/statistics';

it('are those of a million values', () => {
  const values = Float64Array.from({ length: 1_000_000 }, (_unused, index) => Math.abs(index - 600_000));
  expect([smallestOf(values), largestOf(values)]).toEqual([0, 600_000]);
});

it('are what Math.max and Math.min say of few, none, and of what is no number', () => {
  for (const values of [[3, -2, 7], [], [1, NaN, 2], [-0, 0]]) {
    expect([largestOf(values), smallestOf(values)]).toEqual([Math.max(...values), Math.min(...values)]);
  }
});

it('the interval of a median takes six values at least, and fewer of them the more there are', () => {
  const upTo = (count: number) => Array.from({ length: count }, (_one, at) => count - at);
  expect(medianInterval([])).toBeNull();
  expect(medianInterval(upTo(5))).toBeNull();
  // Tables of the sign test, two-sided 95 %.
  for (const [count, low, high] of [
    [6, 1, 6],
    [8, 1, 8],
    [9, 2, 8],
    [12, 3, 10],
    [20, 6, 15],
    [50, 18, 33],
  ] as const) {
    expect(medianInterval(upTo(count))).toEqual({ low, high });
  }
});
