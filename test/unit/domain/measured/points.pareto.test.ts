import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSound } from '../../../../main/contract/flag-text';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import { budgetLatencyUs } from '../../../../main/contract/run/sweep';
import { paretoFront, spacedLevels } from '../../../../main/domain/measured/points';
import { pointFixture } from '../../../support/run-state';

/** Few values, so that many levels are as fast or as slow as another. */
const level: fc.Arbitrary<LoadPoint> = fc
  .record({
    inferencesPerSecond: fc.integer({ min: 1, max: 8 }),
    p99Us: fc.integer({ min: 1, max: 8 }),
    waitUs: fc.integer({ min: 0, max: 3 }),
    doubt: fc.constantFrom('none', 'none', 'unsteady', 'errors', 'limited'),
  })
  .map(({ waitUs, doubt, ...measured }) =>
    pointFixture({
      ...measured,
      stable: doubt !== 'unsteady',
      flags: doubt === 'errors' ? ['errors'] : doubt === 'limited' ? ['client-saturated'] : [],
      ...(waitUs === 0
        ? {}
        : {
            scheduled: { avgUs: 1, p50Us: 1, p90Us: 1, p95Us: 1, p99Us: measured.p99Us + waitUs },
          }),
    } as Partial<LoadPoint>),
  );
const levels = fc.array(level, { maxLength: 30 });

const beats = (a: LoadPoint, b: LoadPoint): boolean => {
  const [slow, slower] = [budgetLatencyUs(a), budgetLatencyUs(b)];
  const more = a.inferencesPerSecond > b.inferencesPerSecond;
  return a.inferencesPerSecond >= b.inferencesPerSecond && slow <= slower && (more || slow < slower);
};

describe('the Pareto front', () => {
  it('has no level that a steady one beats, and every other steady level is beaten by one of it', () => {
    fc.assert(
      fc.property(levels, (points) => {
        const front = paretoFront(points);
        const sound = points.filter(isSound);
        const rest = sound.filter((point) => !front.includes(point));
        expect(front.every((point) => sound.includes(point))).toBe(true);
        expect(front.some((point) => sound.some((other) => beats(other, point)))).toBe(false);
        expect(rest.every((point) => front.some((other) => beats(other, point)))).toBe(true);
        expect(front.length > 0).toBe(sound.length > 0);
      }),
    );
  });

  it('goes up in both: a line through it never turns back', () => {
    fc.assert(
      fc.property(levels, (points) => {
        const front = paretoFront(points);
        front.forEach((point, index) => {
          const before = front[index - 1] ?? point;
          expect(point.inferencesPerSecond).toBeGreaterThanOrEqual(before.inferencesPerSecond);
          expect(budgetLatencyUs(point)).toBeGreaterThanOrEqual(budgetLatencyUs(before));
        });
      }),
    );
  });

  it('leaves out what is faster but not steady, or has errors', () => {
    const steady = pointFixture({ inferencesPerSecond: 100, p99Us: 9000 });
    const shaky = pointFixture({ inferencesPerSecond: 900, p99Us: 1000, stable: false });
    const failing = pointFixture({ inferencesPerSecond: 900, p99Us: 1000, flags: ['errors'] });
    expect(paretoFront([shaky, steady, failing])).toEqual([steady]);
  });
});

it('labels of levels do not touch, and the first have theirs', () => {
  const near = [100, 101, 102].map((inferencesPerSecond) =>
    pointFixture({ inferencesPerSecond, p99Us: 5000 }),
  );
  const far = pointFixture({ inferencesPerSecond: 50, p99Us: 4000 });
  const [, , last] = near;
  expect([...spacedLevels([...near, far])]).toEqual([near[0], far]);
  expect(last === undefined ? null : spacedLevels([...near, far], [last]).has(last)).toBe(true);
});
