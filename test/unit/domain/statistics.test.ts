import { expect, it } from 'vitest';
import { largestOf, smallestOf } from '../../../main/domain/statistics';

it('are those of a million values', () => {
  const values = Float64Array.from({ length: 1_000_000 }, (_unused, index) => Math.abs(index - 600_000));
  expect([smallestOf(values), largestOf(values)]).toEqual([0, 600_000]);
});

it('are what Math.max and Math.min say of few, none, and of what is no number', () => {
  for (const values of [[3, -2, 7], [], [1, NaN, 2], [-0, 0]]) {
    expect([largestOf(values), smallestOf(values)]).toEqual([Math.max(...values), Math.min(...values)]);
  }
});
