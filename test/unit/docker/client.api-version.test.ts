import { expect, it } from 'vitest';
import { negotiateApi } from '../../../main/docker/client';

// Newest and oldest version that an engine speaks. 20.10 says 1.41 and 1.12, 28.2 says 1.50 and 1.24, and 29.0 raised
// the oldest to 1.44 (Engine API version history).
it.each([
  ['1.41', '1.12', '1.41'],
  ['1.40', '1.12', '1.40'],
  ['1.50', '1.24', '1.50'],
  ['1.52', '1.44', '1.52'],
  ['1.56', '1.44', '1.52'],
  ['1.60', '1.52', '1.52'],
  ['1.60', '1.53', null],
  ['1.39', '1.12', null],
  ['1.9', '1.1', null],
])('an engine from %s down to %s is spoken to with %s', (newest, oldest, chosen) => {
  expect(negotiateApi(newest, oldest)).toBe(chosen);
});
