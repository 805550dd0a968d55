import { expect, it } from 'vitest';
import { shownRangeMs } from '../../../../../renderer/charts/monitor/shown-range';

const minute = 60_000;

it('the time axis has room for little more than what was measured, up to the chosen range', () => {
  expect(shownRangeMs(0, 5 * minute)).toBe(10_000);
  expect(shownRangeMs(10_000, 5 * minute)).toBe(10_000);
  for (let elapsedMs = 11_000; elapsedMs < 300_000; elapsedMs += 1000) {
    const range = shownRangeMs(elapsedMs, 24 * 60 * minute);
    expect(range).toBeGreaterThanOrEqual(elapsedMs);
    expect(range).toBeLessThanOrEqual(elapsedMs * 1.1 + 1000);
  }
  expect(shownRangeMs(290_000, 5 * minute)).toBeLessThanOrEqual(5 * minute);
  expect(shownRangeMs(3600_000, 5 * minute)).toBe(5 * minute);
});

it('the axis changes in steps, so that a long one is seldom drawn whole', () => {
  const ranges = new Set<number>();
  for (let second = 0; second <= 86_400; second += 1) ranges.add(shownRangeMs(second * 1000, 86_400_000));
  expect(ranges.size).toBeLessThan(100);
});
