import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../../main/domain/random';
import { growthOf, type GrowthPoint } from '../../../../../main/domain/study/soak/growth';

const mb = 1e6;
const minute = 60_000;
const count = 96;
const hours = count / 60;

/** Noise whose neighbors resemble each other. */
function noise(seed: number, alike: number, size: number): () => number {
  const random = createRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let last = normal();
  return () => {
    last = alike * last + Math.sqrt(1 - alike ** 2) * normal();
    return size * last;
  };
}

/** A point per minute. @param value over the whole, 0 to 1 */
function series(
  value: (at: number) => number,
  { seed = 1, alike = 0.5, size = 0.5 * mb } = {},
): GrowthPoint[] {
  const next = noise(seed, alike, size);
  return Array.from({ length: count }, (_unused, at) => ({
    atMs: at * minute,
    value: 100 * mb + value(at / count) + next(),
    life: 1,
  }));
}

const least = 0.5 * mb;
const judged = (points: readonly GrowthPoint[]) => growthOf(points, { least, unit: 4096 });

describe('growthOf', () => {
  it('finds a leak, its rate within the interval', () => {
    const { verdict, perHour } = judged(series((at) => 20 * mb * at));
    expect(verdict).toBe('grows');
    expect(perHour?.low).toBeLessThan((20 * mb) / hours);
    expect(perHour?.high).toBeGreaterThan((20 * mb) / hours);
    expect(Math.abs((perHour?.value ?? 0) - (20 * mb) / hours)).toBeLessThan((0.1 * 20 * mb) / hours);
  });

  it('calls no growth flat, from the end of the shortest warm part', () => {
    const found = judged(series(() => 0));
    expect(found).toMatchObject({ verdict: 'flat', step: null });
    expect(found.sinceMs).toBeCloseTo(10 * minute, -5);
    expect(found.perHour?.low).toBeLessThan(0);
    expect(found.perHour?.high).toBeGreaterThan(0);
  });

  it('leaves warm-up that ends out, and says when', () => {
    const found = judged(series((at) => 30 * mb * Math.min(1, at / 0.25)));
    expect(found.verdict).toBe('flat');
    expect(found.sinceMs).toBeGreaterThanOrEqual(14 * minute);
    expect(found.sinceMs).toBeLessThanOrEqual(32 * minute);
  });

  it('takes the rate of a leak after its warm-up', () => {
    const { verdict, perHour } = judged(series((at) => 30 * mb * Math.min(1, at / 0.2) + 15 * mb * at));
    expect(verdict).toBe('grows');
    expect(perHour?.low).toBeLessThan((15 * mb) / hours);
    expect(perHour?.high).toBeGreaterThan((15 * mb) / hours);
    expect(perHour?.value).toBeLessThan((20 * mb) / hours);
  });

  it('calls a rise that happens once a step', () => {
    const { verdict, step, perHour } = judged(series((at) => (at >= 0.6 ? 20 * mb : 0)));
    expect(verdict).toBe('step');
    expect(step?.atMs).toBeCloseTo(58 * minute, -5);
    expect(step?.by).toBeGreaterThan(17 * mb);
    expect(perHour?.low).toBeLessThan(0);
  });

  it('calls the sawtooth of a garbage collector flat, and finds a leak below it', () => {
    const saw = (at: number) => 8 * mb * ((at * 9) % 1);
    expect(judged(series(saw)).verdict).toBe('flat');
    const { verdict, perHour } = judged(series((at) => saw(at) + 30 * mb * at));
    expect(verdict).toBe('grows');
    expect(perHour?.low).toBeLessThan((30 * mb) / hours);
    expect(perHour?.high).toBeGreaterThan((30 * mb) / hours);
  });

  it('says that it is unclear where what grew may have stopped', () => {
    const { verdict } = judged(series((at) => 3 * mb * at, { seed: 5, alike: 0.8, size: mb }));
    expect(['unclear', 'flat']).toContain(verdict);
  });

  it('covers the rate in most of many leaks, though neighbors are alike', () => {
    const seeds = Array.from({ length: 100 }, (_unused, at) => at + 1);
    const rate = (40 * mb) / hours;
    const covered = seeds.filter((seed) => {
      const { perHour } = judged(series((at) => 40 * mb * at, { seed, alike: 0.8, size: mb }));
      return perHour !== null && perHour.low <= rate && rate <= perHour.high;
    });
    expect(covered.length).toBeGreaterThanOrEqual(88);
  });

  it('raises the alarm in few of many flat ones', () => {
    const seeds = Array.from({ length: 100 }, (_unused, at) => at + 1);
    const alarms = seeds.filter(
      (seed) => judged(series(() => 0, { seed, alike: 0.8, size: mb })).verdict === 'grows',
    );
    expect(alarms.length).toBeLessThanOrEqual(5);
  });

  it('compares no memory of different starts of the server', () => {
    const first = series((at) => 10 * mb * at, { size: 0.1 * mb });
    const second = first.map((point) => ({ ...point, atMs: point.atMs + count * minute, life: 2 }));
    const { verdict, perHour } = judged([...first, ...second]);
    expect(verdict).toBe('grows');
    expect(perHour?.value).toBeCloseTo((10 * mb) / hours, -6);
    const flat = series(() => 0, { size: 0.1 * mb });
    const higher = flat.map(({ atMs, value }) => ({
      atMs: atMs + count * minute,
      value: value + 50 * mb,
      life: 2,
    }));
    expect(judged([...flat, ...higher]).verdict).toBe('flat');
  });

  it('says nothing of too few points, and of none', () => {
    expect(judged([])).toMatchObject({ verdict: 'unknown', perHour: null });
    expect(judged(series((at) => 90 * mb * at).slice(0, 7)).verdict).toBe('unknown');
  });

  it('judges exact values', () => {
    const exact = (rate: number) =>
      Array.from({ length: 20 }, (_unused, at) => ({
        atMs: at * minute,
        value: 5 * mb + rate * at,
        life: 1,
      }));
    expect(judged(exact(0)).verdict).toBe('flat');
    const { verdict, perHour } = judged(exact(mb));
    expect(verdict).toBe('grows');
    expect(perHour?.value).toBeCloseTo(60 * mb, 0);
  });

  it('has no bound that is finer than a reading can show in the time', () => {
    const short = Array.from({ length: 20 }, (_unused, at) => ({ atMs: at * 1000, value: 5 * mb, life: 1 }));
    const { verdict, perHour } = judged(short);
    expect(verdict).toBe('flat');
    // A page more or less within the 17 seconds after the warm part.
    expect(perHour?.high).toBeCloseTo((4096 * 3600) / 17, 0);
    expect(perHour?.low).toBeCloseTo((-4096 * 3600) / 17, 0);
    expect(growthOf(short, { least, unit: 1 }).perHour?.high).toBeLessThan(250);
  });
});
