import { expect, it } from 'vitest';
import {
  loadLines,
  memoryLines,
  soakTimeOf,
  warmEndOf,
} from '../../../../../main/domain/study/soak/soak-charts';
import { soaked } from '../../../../support/soaked';

const hours = (minutes: number) => {
  const one = soaked({}, { minutes });
  return { ...one, slices: one.slices.map((slice) => ({ ...slice, toMs: minutes * 60_000 })) };
};

it('memory is drawn as what each process has more than where its warm part ended', () => {
  const given = soaked({ server: 0, stub: 600_000 });
  const [triton, stub] = memoryLines(given);
  const warm = warmEndOf(given) ?? NaN;
  expect(warm).toBeGreaterThanOrEqual(2);
  expect(warm).toBeLessThanOrEqual(8);
  const at = (line: typeof stub, minute: number) => line?.points[minute]?.[1] ?? NaN;
  expect(Math.abs(at(triton, 19))).toBeLessThan(0.2);
  expect(at(stub, 19)).toBeCloseTo(0.6 * (19 - Math.floor(warm)), 0);
  expect(at(stub, 0)).toBeLessThan(0);
});

it('time is in minutes, and in hours where it is long', () => {
  expect(soakTimeOf(soaked({}))).toMatchObject({ title: 'Minutes under load', end: 20 });
  expect(soakTimeOf(hours(480))).toMatchObject({ title: 'Hours under load', end: 8 });
  expect(memoryLines(hours(480))[0]?.points.at(-1)?.[0]).toBeCloseTo(8, 1);
});

it('nothing was read yet: no line, and no end of a warm part', () => {
  const nothing = { blocks: [], slices: [] };
  expect(memoryLines(nothing)).toEqual([]);
  expect(warmEndOf(nothing)).toBeNull();
  expect(loadLines(nothing).p99.points).toEqual([]);
  expect(soakTimeOf(nothing).end).toBe(1);
});
