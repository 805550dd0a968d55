import { describe, expect, it } from 'vitest';
import { rateOfIntervals } from '../../../../main/contract/run/sweep';
import { createReplay, createSchedule, scatterOf } from '../../../../main/domain/arrivals/intervals';

const take = (next: () => number, count: number) => Array.from({ length: count }, next);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a replay', () => {
  it('has the times between the recorded ones, also none, and ends after the last', () => {
    const next = createReplay(Float64Array.from([500, 500, 2000]));
    expect(take(next, 5)).toEqual([500, 0, 1500, Infinity, Infinity]);
  });
});

describe('a schedule', () => {
  it('is constant', () => {
    const next = createSchedule({ rate: 400, distribution: 'constant', seed: 1, intervalsUs: [] });
    expect(take(next, 3)).toEqual([2500, 2500, 2500]);
  });

  it('of a Poisson process has the mean and the spread of one, and is the same with the same seed', () => {
    const made = (seed: number) =>
      take(createSchedule({ rate: 1000, distribution: 'poisson', seed, intervalsUs: [] }), 20_000);
    const intervals = made(7);
    expect(intervals).toEqual(made(7));
    expect(intervals).not.toEqual(made(8));
    expect(Math.min(...intervals)).toBeGreaterThanOrEqual(0);
    expect(mean(intervals)).toBeGreaterThan(970);
    expect(mean(intervals)).toBeLessThan(1030);
    // The standard deviation of an exponential distribution is its mean.
    const deviation = Math.sqrt(mean(intervals.map((value) => (value - 1000) ** 2)));
    expect(deviation).toBeGreaterThan(950);
    expect(deviation).toBeLessThan(1050);
    // P(interval > mean) = 1/e.
    expect(intervals.filter((value) => value > 1000).length / intervals.length).toBeCloseTo(Math.exp(-1), 1);
  });

  it('of given intervals repeats them', () => {
    const next = createSchedule({ rate: 1, distribution: 'poisson', seed: 1, intervalsUs: [10, 20, 30] });
    expect(take(next, 5)).toEqual([10, 20, 30, 10, 20]);
    expect(rateOfIntervals([1000, 3000])).toBe(500);
  });

  it.each([0.25, 1, 4])('of a gamma process of shape %s has its mean and its scatter', (burstiness) => {
    const scatter = { distribution: 'gamma', seed: 3, burstiness } as const;
    const intervals = take(createSchedule({ rate: 1000, ...scatter, intervalsUs: [] }), 40_000);
    expect(Math.min(...intervals)).toBeGreaterThanOrEqual(0);
    expect(mean(intervals)).toBeGreaterThan(960);
    expect(mean(intervals)).toBeLessThan(1040);
    const variance = mean(intervals.map((value) => (value / 1000 - 1) ** 2));
    expect(scatterOf(scatter)).toBe(1 / burstiness);
    expect(variance * burstiness).toBeGreaterThan(0.9);
    expect(variance * burstiness).toBeLessThan(1.1);
  });

  it('rises to its rate: half of the requests of that time are due, most of them late in it', () => {
    const next = createSchedule({
      ...{ rate: 1000, distribution: 'constant', seed: 1, intervalsUs: [] },
      rampUpUs: 2e6,
    });
    const dueUs: number[] = [];
    for (let at = 0; at < 4e6;) {
      at += next();
      dueUs.push(at);
    }
    const until = (us: number) => dueUs.filter((at) => at <= us + 1e-3).length;
    expect(until(1e6)).toBe(250);
    expect(until(2e6)).toBe(1000);
    // At its height from then on.
    expect(until(3e6)).toBe(2000);
    expect(next()).toBe(1000);
  });
});
