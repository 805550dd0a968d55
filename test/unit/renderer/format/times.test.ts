import { expect, it } from 'vitest';
import { formatAge, formatStart, formatWhen } from '../../../../renderer/format/times';

const now = new Date(2026, 10, 30, 12);

it('a moment has its year where that is another one', () => {
  expect(formatWhen(new Date(2026, 10, 17, 9, 21).toISOString(), now)).toBe('17 Nov, 09:21');
  expect(formatWhen(new Date(2025, 10, 17, 9, 21).toISOString(), now)).toBe('17 Nov 2025, 09:21');
});

it('a start of another year is its day, which a narrow column has room for', () => {
  expect(formatStart(new Date(2026, 10, 17, 9, 21).toISOString(), now)).toBe('17 Nov, 09:21');
  expect(formatStart(new Date(2025, 10, 17, 9, 21).toISOString(), now)).toBe('17 Nov 2025');
});

it('an age is in its largest unit', () => {
  const ago = (seconds: number) =>
    formatAge(new Date(now.getTime() - seconds * 1000).toISOString(), now.getTime());
  expect([12, 180, 5 * 3600, 49 * 3600, -5].map(ago)).toEqual(['12 s', '3 min', '5 h', '2 d', '0 s']);
});
