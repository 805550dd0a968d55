import { describe, expect, it } from 'vitest';
import { isDrifting } from '../../../main/perf/intervals';

const line = (from: number, to: number, noise: readonly number[]) =>
  noise.map((value, index) => from + ((to - from) * index) / (noise.length - 1) + value);
const noise = [2, -1, 1, -2, 0, 1, -1, 2, -2, 1, 0, -1];

describe('drift', () => {
  it('is a way that noise does not go', () => {
    expect(isDrifting(line(100, 130, noise))).toBe(true);
    expect(isDrifting(line(130, 100, noise))).toBe(true);
  });

  it.each([
    ['noise alone', line(100, 100, noise)],
    [
      'a way below 5 %',
      line(
        100,
        104,
        noise.map(() => 0),
      ),
    ],
    [
      'a way within the noise',
      line(
        100,
        110,
        noise.map((value) => 10 * value),
      ),
    ],
    ['too few parts', [100, 120, 140, 160, 180]],
  ])('is not %s', (_what, blocks) => {
    expect(isDrifting(blocks)).toBe(false);
  });
});
