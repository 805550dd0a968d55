import { describe, expect, it } from 'vitest';
import type { MeasuringTurn } from '../../../../main/contract/measuring-order';
import { turnKey } from '../../../../main/contract/measuring-order';
import type { LoadPoint } from '../../../../main/contract/results';
import type { SweepPlan } from '../../../../main/perf/sweep/sweep';
import { measureSweep } from '../../../../main/perf/sweep/sweep';
import { pointFixture } from '../../../support/run-state';

const all: SweepPlan = {
  levels: [1, 2, 4, 8].flatMap((concurrency) => [
    { batchSize: 1, concurrency },
    { batchSize: 2, concurrency },
  ]),
  repeats: 1,
  tools: ['native'],
  search: null,
};

/** A server whose p99 is 10 ms per request of a batch and at a time; `missing` turns give no result. */
function host(options: { readonly missing?: readonly string[]; readonly stopAfter?: number } = {}) {
  const measured: string[] = [];
  const fractions: number[] = [];
  return {
    measured,
    fractions,
    measure: (turn: MeasuringTurn, fraction: number): Promise<LoadPoint | null> => {
      measured.push(turnKey(turn));
      fractions.push(fraction);
      const { batchSize, concurrency } = turn.level;
      const p99Us = 10_000 * batchSize * concurrency;
      const point = { ...pointFixture(), batchSize, concurrency, p99Us };
      return Promise.resolve(options.missing?.includes(turnKey(turn)) === true ? null : point);
    },
    shouldStop: () => measured.length >= (options.stopAfter ?? Infinity),
  };
}

describe('a sweep', () => {
  it('measures every level in every round, and goes on past one without a result', async () => {
    const sweep = host({ missing: ['2/1/1/native'] });
    const end = await measureSweep({ ...all, repeats: 2 }, sweep);
    expect(end).toEqual({ stopped: false, tried: 16, found: null });
    expect(new Set(sweep.measured).size).toBe(16);
    expect(sweep.fractions[0]).toBe(0);
    expect(sweep.fractions.every((fraction, index) => fraction === index / 16)).toBe(true);
  });

  it('stops before the next turn when it is asked to', async () => {
    const sweep = host({ stopAfter: 3 });
    expect(await measureSweep(all, sweep)).toEqual({ stopped: true, tried: 3, found: null });
    expect(sweep.measured).toHaveLength(3);
  });
});

describe('a search', () => {
  const search = { kind: 'linear', thresholdUs: 45_000 } as const;

  it.each(['linear', 'binary'] as const)(
    'finds the last level within the budget per batch size: %s',
    async (kind) => {
      const end = await measureSweep({ ...all, search: { ...search, kind } }, host());
      expect(end.stopped).toBe(false);
      expect(end.found).toEqual([
        { batchSize: 1, concurrency: 4 },
        { batchSize: 2, concurrency: 2 },
      ]);
    },
  );

  it('takes a level without a result as one beyond the budget', async () => {
    const end = await measureSweep({ ...all, search }, host({ missing: ['1/2/1/native'] }));
    expect(end.found).toEqual([
      { batchSize: 1, concurrency: 1 },
      { batchSize: 2, concurrency: 2 },
    ]);
  });

  it('that is stopped in a level does not judge by that level', async () => {
    const end = await measureSweep({ ...all, search }, host({ missing: ['1/2/1/native'], stopAfter: 2 }));
    expect(end).toEqual({ stopped: true, tried: 1, found: [] });
  });
});
