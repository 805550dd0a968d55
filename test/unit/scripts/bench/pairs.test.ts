import { expect, it } from 'vitest';
import { highestRatio, pairedText } from '../../../../scripts/bench/pairs';

it('tells the ratio of pairs with the interval that it lies in', () => {
  expect(pairedText([2, 2, 2], [1, 1, 1])).toBe('2.000 (2.000 to 2.000), median 2.000, 3 pairs');
  const before = [100, 110, 90, 105, 95];
  const noisy = pairedText([101, 108, 92, 104, 96], before);
  const [, mean, low, high] = /^(\S+) \((\S+) to (\S+)\), median \S+, 5 pairs$/.exec(noisy) ?? [];
  expect(Number(low)).toBeLessThan(Number(mean));
  expect(Number(mean)).toBeLessThan(Number(high));
  expect(Number(low)).toBeLessThan(1);
  expect(Number(high)).toBeGreaterThan(1);
  expect(highestRatio([101, 108, 92, 104, 96], before).toFixed(3)).toBe(high);
});

it('knows no interval of fewer than three pairs', () => {
  expect(pairedText([1, 2], [1, 1])).toContain('(interval not known)');
  expect(highestRatio([1, 2], [1, 1])).toBe(Number.POSITIVE_INFINITY);
});
