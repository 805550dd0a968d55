import { expect, it } from 'vitest';
import { localTime } from '../../../../main/cli/print/local-time';

it('is the time of this machine, to the minute', () => {
  expect(localTime(new Date(2026, 10, 8, 9, 4, 59).toISOString())).toBe('2026-11-08 09:04');
});

it('leaves other text as it is', () => {
  expect(localTime('')).toBe('');
});
