import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import { budgetLatencyUs, loadKey, type MeasuringTurn, turnKey } from '../../../../main/contract/run/sweep';
import {
  lastWithin,
  type LevelsPlan,
  measureLevels,
  nextLevel,
  type TriedLevel,
  type TurnsHost,
} from '../../../../main/pipeline/measure/measure-levels';
import { pointFixture } from '../../../support/run-state';

const all: LevelsPlan = {
  levels: [1, 2, 4, 8].flatMap((concurrency) => [
    { batchSize: 1, concurrency },
    { batchSize: 2, concurrency },
  ]),
  repeats: 1,
  tools: ['native'],
  search: null,
  inTurns: false,
};

/** A server whose p99 is 10 ms per request of a batch and at a time; `missing` turns give no result. */
function host(
  options: {
    readonly missing?: readonly string[];
    readonly known?: readonly string[];
    readonly stopAfter?: number;
  } = {},
) {
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
    known: (turn: MeasuringTurn) =>
      Promise.resolve(options.known?.includes(turnKey(turn)) === true ? pointFixture(turn.level) : null),
    again: [],
    turns: null,
    shouldStop: () => measured.length >= (options.stopAfter ?? Infinity),
  };
}

describe('a sweep', () => {
  it('measures every level in every round, and goes on past one without a result', async () => {
    const sweep = host({ missing: ['2/1/1/native'] });
    const end = await measureLevels({ ...all, repeats: 2 }, sweep);
    expect(end).toEqual({ stopped: false, tried: 16, found: null });
    expect(new Set(sweep.measured).size).toBe(16);
    expect(sweep.fractions[0]).toBe(0);
    expect(sweep.fractions.every((fraction, index) => fraction === index / 16)).toBe(true);
  });

  it('stops before the next turn when it is asked to', async () => {
    const sweep = host({ stopAfter: 3 });
    expect(await measureLevels(all, sweep)).toEqual({ stopped: true, tried: 3, found: null });
    expect(sweep.measured).toHaveLength(3);
  });
});

describe('levels in turns', () => {
  const plan: LevelsPlan = { ...all, inTurns: true };
  /** Levels that give a point per window; `failing` ones throw in their second. */
  function turnsHost(failing: readonly string[] = [], onMissing?: (error: unknown) => void) {
    const windows: string[] = [];
    const logged: string[] = [];
    const turns: TurnsHost = {
      sources: { metricsAddress: null },
      onBegin: (levels) => logged.push(`begin ${levels}`),
      begin: (turn) => {
        const point = pointFixture(turn.level);
        let count = 0;
        return {
          next: () => {
            count += 1;
            windows.push(`${loadKey(turn.level)}#${count}`);
            return failing.includes(loadKey(turn.level)) && count === 2
              ? Promise.reject(new Error('no answer'))
              : Promise.resolve({ ...point, turns: count });
          },
        };
      },
      onRound: ({ level }, round) => logged.push(`round ${round} of ${loadKey(level)}`),
      onPoint: ({ level }, { turns: count }) => {
        logged.push(`point of ${loadKey(level)} from ${count ?? 0}`);
        return Promise.resolve();
      },
      onMissing: ({ level }, error) => {
        onMissing?.(error);
        logged.push(`nothing of ${loadKey(level)}`);
        return Promise.resolve();
      },
    };
    return { windows, logged, turns };
  }
  const levels = [1, 2, 4].map((concurrency) => ({ batchSize: 1, concurrency }));

  it('have a window each in every round, and their points after the last', async () => {
    const { windows, logged, turns } = turnsHost();
    const end = await measureLevels({ ...plan, levels }, { ...host(), turns });
    expect(end).toEqual({ stopped: false, tried: 3, found: null });
    expect(windows).toEqual(
      [1, 2, 3].flatMap((round) => ['1/1', '1/2', '1/4'].map((key) => `${key}#${round}`)),
    );
    expect(logged.slice(-3)).toEqual(['point of 1/1 from 3', 'point of 1/2 from 3', 'point of 1/4 from 3']);
  });

  it('leave out one that gives nothing, and one that was measured before', async () => {
    const { windows, logged, turns } = turnsHost(['1/2']);
    const end = await measureLevels({ ...plan, levels }, { ...host({ known: ['1/1/1/native'] }), turns });
    expect(end).toMatchObject({ stopped: false, tried: 3 });
    expect(windows).toEqual(['1/2#1', '1/4#1', '1/2#2', '1/4#2', '1/4#3']);
    expect(logged[0]).toBe('begin 2');
    expect(logged.filter((text) => !text.startsWith('round'))).toEqual([
      'begin 2',
      'nothing of 1/2',
      'point of 1/4 from 3',
    ]);
  });

  it('stop between two rounds, and where the host says that nothing more can be measured', async () => {
    const { windows, turns } = turnsHost();
    const asked = { ...host(), turns, shouldStop: () => windows.length >= 3 };
    expect(await measureLevels({ ...plan, levels }, asked)).toEqual({ stopped: true, tried: 0, found: null });
    expect(windows).toHaveLength(3);
    const gone = turnsHost(['1/2'], (error) => {
      throw error;
    });
    const ended = measureLevels({ ...plan, levels }, { ...host(), turns: gone.turns });
    await expect(ended).rejects.toThrow('no answer');
  });

  it('are measured whole where the host cannot otherwise', async () => {
    const whole = host();
    expect(await measureLevels({ ...plan, levels }, whole)).toMatchObject({ tried: 3 });
    expect(whole.measured).toHaveLength(3);
  });
});

describe('a search', () => {
  const search = { kind: 'linear', thresholdUs: 45_000 } as const;

  it.each(['linear', 'binary'] as const)(
    'finds the last level within the budget per batch size: %s',
    async (kind) => {
      const end = await measureLevels({ ...all, search: { ...search, kind } }, host());
      expect(end.stopped).toBe(false);
      expect(end.found).toEqual([
        { batchSize: 1, concurrency: 4 },
        { batchSize: 2, concurrency: 2 },
      ]);
    },
  );

  it('takes a level without a result as one beyond the budget', async () => {
    const end = await measureLevels({ ...all, search }, host({ missing: ['1/2/1/native'] }));
    expect(end.found).toEqual([
      { batchSize: 1, concurrency: 1 },
      { batchSize: 2, concurrency: 2 },
    ]);
  });

  it('takes a level with too many errors as one beyond the budget: a full queue refuses at once', async () => {
    const sweep = host();
    const end = await measureLevels(
      { ...all, search },
      {
        ...sweep,
        measure: async (turn, fraction) => {
          const point = await sweep.measure(turn, fraction);
          return point !== null && turn.level.concurrency > 1 ? { ...point, flags: ['errors'] } : point;
        },
      },
    );
    expect(end.found).toEqual([
      { batchSize: 1, concurrency: 1 },
      { batchSize: 2, concurrency: 1 },
    ]);
  });

  it('that is stopped in a level does not judge by that level', async () => {
    const end = await measureLevels({ ...all, search }, host({ missing: ['1/2/1/native'], stopAfter: 2 }));
    expect(end).toEqual({ stopped: true, tried: 1, found: null });
  });
});

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
