import { describe, expect, it } from 'vitest';
import { spanAbove, stagedTimes } from '../../../../main/domain/arrivals/staged-times';

const even = { distribution: 'constant', seed: 1 } as const;
const stage = (fromRate: number, toRate: number, seconds: number) => ({ fromRate, toRate, seconds });
const between = (times: Float64Array, fromS: number, toS: number) =>
  times.filter((at) => at > 1e6 * fromS + 1 && at <= 1e6 * toS + 1).length;

describe('stages', () => {
  it('have the requests of each rate in its time', () => {
    const times = stagedTimes([stage(100, 100, 2), stage(300, 300, 1), stage(100, 100, 2)], even);
    expect(times).toHaveLength(700);
    expect([between(times, 0, 2), between(times, 2, 3), between(times, 3, 5)]).toEqual([200, 300, 200]);
    expect(times.at(-1)).toBeCloseTo(5e6, 0);
    expect([...times].toSorted((a, b) => a - b)).toEqual([...times]);
  });

  it('that rise or fall have their requests where the rate is higher', () => {
    const up = stagedTimes([stage(0, 200, 10)], even);
    expect(up).toHaveLength(1000);
    expect([between(up, 0, 5), between(up, 5, 10)]).toEqual([250, 750]);
    const down = stagedTimes([stage(200, 0, 10)], even);
    expect([between(down, 0, 5), between(down, 5, 10)]).toEqual([750, 250]);
  });

  it('scatter as they are asked to, the same with the same seed', () => {
    const poisson = (seed: number) =>
      stagedTimes([stage(1000, 1000, 5), stage(3000, 3000, 5)], { distribution: 'poisson', seed });
    const times = poisson(5);
    expect([...times]).toEqual([...poisson(5)]);
    expect(Math.abs(between(times, 0, 5) - 5000)).toBeLessThan(4 * Math.sqrt(5000));
    expect(Math.abs(between(times, 5, 10) - 15_000)).toBeLessThan(4 * Math.sqrt(15_000));
  });

  it('without a rate for a time have no requests in it', () => {
    const times = stagedTimes([stage(10, 10, 1), stage(0, 0, 5), stage(10, 10, 1)], even);
    expect(times).toHaveLength(20);
    expect(between(times, 1, 6)).toBe(0);
  });
});

describe('where stages are above a rate', () => {
  it('is from the first moment to the last', () => {
    expect(spanAbove([stage(100, 100, 10), stage(200, 200, 5), stage(100, 100, 9)], 100)).toEqual({
      fromUs: 10e6,
      toUs: 15e6,
    });
    // A ramp from 0 to 200 crosses 100 in its middle.
    expect(spanAbove([stage(0, 200, 10), stage(200, 0, 10)], 100)).toEqual({ fromUs: 5e6, toUs: 15e6 });
    expect(spanAbove([stage(50, 100, 10)], 100)).toBeNull();
  });
});
