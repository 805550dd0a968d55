import { describe, expect, it } from 'vitest';
import { createSchedule } from '../../../../../main/domain/arrivals/intervals';
import {
  isOverSaturated,
  type LoadSample,
} from '../../../../../main/domain/measured/overload/over-saturation';
import { outcome } from '../../../../../main/domain/measured/overload/timeline';
import { simulatedQueue } from '../../../../support/simulated-queue';

const seconds = 4;
const everyUs = 100_000;

/** Samples of a simulated server with a capacity of 1000 requests/s, as a generator would take them. */
function samplesAt(rate: number, seed: number): readonly LoadSample[] {
  const next = createSchedule({ rate, distribution: 'poisson', seed, intervalsUs: [] });
  const due: number[] = [];
  for (let at = next(); at < seconds * 1e6; at += next()) due.push(at);
  const { latencyUs, kinds } = simulatedQueue(due, { serviceUs: 1000 });
  expect(kinds.every((kind) => kind === outcome.answered)).toBe(true);
  return Array.from({ length: (seconds * 1e6) / everyUs }, (_unused, index) => {
    const atUs = (index + 1) * everyUs;
    const ended = due.flatMap((at, place) => {
      const latency = latencyUs[place] ?? 0;
      return at + latency > atUs - everyUs && at + latency <= atUs ? [latency] : [];
    });
    return {
      inFlight: due.filter((at, place) => at <= atUs && at + (latencyUs[place] ?? 0) > atUs).length,
      latencyUs: ended.length === 0 ? null : ended.reduce((sum, one) => sum + one, 0) / ended.length,
    };
  });
}

const judged = (rate: number, seed: number) =>
  isOverSaturated(samplesAt(rate, seed), { requests: rate * seconds, scatter: 1 });

const seeds = Array.from({ length: 25 }, (_unused, index) => index + 1);

describe('an open level', () => {
  it('above the capacity is over-saturated', () => {
    expect(seeds.filter((seed) => judged(1200, seed))).toEqual(seeds);
    expect(seeds.filter((seed) => judged(2000, seed))).toEqual(seeds);
  });

  it('up to the capacity is not, however long its queue gets by chance', () => {
    expect(seeds.filter((seed) => judged(500, seed))).toEqual([]);
    expect(seeds.filter((seed) => judged(950, seed))).toEqual([]);
    expect(seeds.filter((seed) => judged(1000, seed))).toEqual([]);
  });

  it('is not judged by a few samples, nor where only one of the two rises', () => {
    const rising = samplesAt(2000, 1);
    const how = { requests: 8000, scatter: 1 };
    expect(isOverSaturated(rising.slice(0, 8), how)).toBe(false);
    expect(
      isOverSaturated(
        rising.map((one) => ({ ...one, latencyUs: 1000 })),
        how,
      ),
    ).toBe(false);
    expect(
      isOverSaturated(
        rising.map((one) => ({ ...one, inFlight: 64 })),
        how,
      ),
    ).toBe(false);
  });

  it('is not, where a server stood still for a second and works its backlog off', () => {
    const at = (inFlight: number, latencyUs: number | null) => ({ inFlight, latencyUs });
    const calm = Array.from({ length: 12 }, () => at(1, 2000));
    const still = Array.from({ length: 10 }, (_unused, index) => at(20 * (index + 1), null));
    const after = [at(170, 950_000), at(140, 900_000), at(110, 800_000), at(80, 600_000), at(50, 400_000)];
    const all = [...calm, ...still, ...after];
    for (let end = 12; end <= all.length; end += 1)
      expect(isOverSaturated(all.slice(0, end), { requests: 20 * end, scatter: 0 })).toBe(false);
  });

  it('is not, where so many wait after such a second for long', () => {
    const at = (inFlight: number, latencyUs: number | null) => ({ inFlight, latencyUs });
    const calm = Array.from({ length: 20 }, () => at(1, 2000));
    const still = Array.from({ length: 10 }, (_unused, index) => at(20 * (index + 1), null));
    const after = Array.from({ length: 40 }, (_unused, index) => at(196 + (index % 3), 950_000));
    const all = [...calm, ...still, ...after];
    for (let end = 12; end <= all.length; end += 1)
      expect(isOverSaturated(all.slice(0, end), { requests: 20 * end, scatter: 0 })).toBe(false);
  });
});
