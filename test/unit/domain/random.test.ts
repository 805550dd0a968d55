import { expect, it } from 'vitest';
import { createRandom } from '../../../main/domain/random';

it('gives the same numbers for the same seed, evenly from 0 to 1', () => {
  const draw = (seed: number) => {
    const next = createRandom(seed);
    return Array.from({ length: 10_000 }, next);
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  const tenths = Array.from({ length: 10 }, () => 0);
  for (const value of draw(7)) tenths[Math.floor(value * 10)] = (tenths[Math.floor(value * 10)] ?? 0) + 1;
  expect(Math.min(...tenths)).toBeGreaterThan(900);
  expect(Math.max(...tenths)).toBeLessThan(1100);
});
