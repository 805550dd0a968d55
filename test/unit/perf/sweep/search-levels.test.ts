import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetLatencyUs } from '../../../../main/contract/sweep';
import type { TriedLevel } from '../../../../main/perf/sweep/search-levels';
import { lastWithin, nextLevel } from '../../../../main/perf/sweep/search-levels';

/** Tries levels of which the first `good` are within the budget; the order in which they were tried. */
function searched(search: 'linear' | 'binary', count: number, good: number) {
  const tried: TriedLevel[] = [];
  for (let index = nextLevel(search, count, tried); index !== null; index = nextLevel(search, count, tried)) {
    if (tried.some((level) => level.index === index) || index < 0 || index >= count)
      throw new Error(`tries ${index} of ${count} again or outside`);
    tried.push({ index, within: index < good });
  }
  return { tried, order: tried.map(({ index }) => index), found: lastWithin(tried) };
}

describe('a search under a latency budget', () => {
  it('goes up one by one until a level is beyond', () => {
    expect(searched('linear', 5, 2)).toMatchObject({ order: [0, 1, 2], found: 1 });
    expect(searched('linear', 3, 3)).toMatchObject({ order: [0, 1, 2], found: 2 });
    expect(searched('linear', 3, 0)).toMatchObject({ order: [0], found: null });
  });

  it('halves what lies between', () => {
    expect(searched('binary', 64, 20)).toMatchObject({ found: 19 });
    expect(searched('binary', 64, 20).order).toHaveLength(8);
    expect(searched('binary', 64, 64).order).toEqual([0, 63]);
    expect(searched('binary', 64, 0).order).toEqual([0]);
    expect(searched('binary', 1, 1)).toMatchObject({ order: [0], found: 0 });
  });

  it('finds the last level within the budget, in few tries', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(), (count, seed) => {
        const good = seed % (count + 1);
        for (const search of ['linear', 'binary'] as const) {
          const { order, found } = searched(search, count, good);
          expect(found).toBe(good === 0 ? null : good - 1);
          if (search === 'binary') expect(order.length).toBeLessThanOrEqual(Math.ceil(Math.log2(count)) + 2);
        }
      }),
    );
  });

  it('holds an open loop to the latency from the schedule', () => {
    expect(budgetLatencyUs({ p99Us: 5 })).toBe(5);
    expect(budgetLatencyUs({ p99Us: 5, scheduled: { p99Us: 9 } })).toBe(9);
  });
});
