import { describe, expect, it } from 'vitest';
import type { Look } from '../../../../../main/contract/study/search';
import { type Cell, halfWidth, pairCells } from '../../../../../scripts/bench/search/paired-cells';

const cells: readonly [Cell, Cell] = [
  { candidate: 1, load: { concurrency: 8 } },
  { candidate: 2, load: { concurrency: 16 } },
];
const limits = { fewest: 4, most: 10, half: 0.03 };
const lookOf = (cell: Cell, inferencesPerSecond: number): Look => ({
  ...{ ...cell, phase: 'confirm', seconds: 1, inferencesPerSecond, latencyUs: 1000, requestCount: 100 },
  ...{ errorCount: 0, meanServerBatch: null, serverQueueUs: null },
});

describe('two cells in pairs', () => {
  it('ends with the fewest pairs where the interval is narrow, whichever of a pair was first', async () => {
    const order: number[] = [];
    const { logs, first, second } = await pairCells(cells, limits, (cell) => {
      order.push(cell.candidate);
      return Promise.resolve(lookOf(cell, cell.candidate === 1 ? 95 : 100));
    });
    expect(logs).toHaveLength(4);
    expect(logs.every((log) => Math.abs(Math.exp(log) - 0.95) < 1e-9)).toBe(true);
    expect(first.every(({ candidate }) => candidate === 1)).toBe(true);
    expect(second.every(({ candidate }) => candidate === 2)).toBe(true);
    for (let pair = 0; pair < 4; pair += 1) {
      expect(order.slice(2 * pair, 2 * pair + 2).toSorted()).toEqual([1, 2]);
    }
  });

  it('goes on while the interval is wide, and ends with the most', async () => {
    let count = 0;
    const { logs } = await pairCells(cells, limits, (cell) => {
      count += 1;
      return Promise.resolve(lookOf(cell, count % 3 === 0 ? 50 : 100));
    });
    expect(logs).toHaveLength(10);
  });

  it('takes half of the interval as its half width', () => {
    expect(halfWidth({ ratio: 1, low: 0.98, high: 1.03 })).toBeCloseTo(0.025, 9);
  });
});
