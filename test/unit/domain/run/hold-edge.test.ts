import { describe, expect, it } from 'vitest';
import { edgeOfRamp, nextRampStep, rateOfStep, type TriedRate } from '../../../../main/domain/run/hold-edge';

/** Tries rates until the ramp is over. @param capacity requests a second that are held at most */
function ramp(start: number, capacity: number, most = 1e6): readonly TriedRate[] {
  const tried: TriedRate[] = [];
  for (let step = nextRampStep(start, most, tried); step !== null; step = nextRampStep(start, most, tried)) {
    tried.push({ step, held: rateOfStep(start, step) <= capacity });
    if (tried.length > 100) throw new Error('The ramp does not end');
  }
  return tried;
}
const edge = (start: number, capacity: number, most?: number): number => {
  const step = edgeOfRamp(ramp(start, capacity, most));
  return step === null ? 0 : rateOfStep(start, step);
};

describe('a ramp', () => {
  it('doubles the rate until the target fails, then halves the rest', () => {
    const rates = ramp(10, 100).map(({ step }) => rateOfStep(10, step));
    expect(rates.slice(0, 5)).toEqual([10, 19.8, 39.2, 77.6, 154]);
    expect(rates.length).toBeLessThanOrEqual(9);
  });

  it.each([12, 100, 480, 3333, 90_000])('ends within 5 %% below %d requests/s', (capacity) => {
    expect(edge(10, capacity)).toBeLessThanOrEqual(capacity);
    expect(edge(10, capacity)).toBeGreaterThan(capacity / 1.06);
  });

  it('goes down where it begins too high', () => {
    expect(edge(1000, 130)).toBeLessThanOrEqual(130);
    expect(edge(1000, 130)).toBeGreaterThan(130 / 1.06);
  });

  it('has no edge where nothing holds, and ends', () => {
    expect(edgeOfRamp(ramp(10, 0))).toBeNull();
  });

  it('does not pass the most that may be sent', () => {
    const rates = ramp(10, 1e9, 1000).map(({ step }) => rateOfStep(10, step));
    expect(Math.max(...rates)).toBeLessThanOrEqual(1000);
    expect(Math.max(...rates)).toBeGreaterThan(940);
  });
});
