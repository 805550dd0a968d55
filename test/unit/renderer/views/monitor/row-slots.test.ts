import { expect, it } from 'vitest';
import { RowSlots } from '../../../../../renderer/views/monitor/row-slots';

it('what stays listed keeps its row, and what is new takes the row of something that is gone', () => {
  const places = new RowSlots();
  expect(places.of(['a', 'b', 'c'])).toEqual([0, 1, 2]);
  expect(places.of(['c', 'd', 'b', 'e'])).toEqual([2, 0, 1, 3]);
  expect(places.of(['c', 'd', 'b', 'e'])).toEqual([2, 0, 1, 3]);
  expect(places.of(['e'])).toEqual([3]);
  expect(places.of(['f', 'e', 'f'])).toEqual([0, 3, 0]);
});

it('names that change every second need no more rows than are shown', () => {
  const places = new RowSlots();
  for (let turn = 0; turn < 50; turn += 1) {
    const keys = Array.from({ length: 100 }, (_unused, at) => `model-${turn}-${at}`);
    expect(places.of(keys).toSorted((a, b) => a - b)).toEqual(keys.map((_key, at) => at));
  }
});
