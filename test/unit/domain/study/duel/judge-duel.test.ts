import { describe, expect, it } from 'vitest';
import type { DuelStrategy } from '../../../../../main/contract/study/duel';
import type { Look, Searched } from '../../../../../main/contract/study/search';
import { createRandom } from '../../../../../main/domain/random';
import { duelAnswer } from '../../../../../main/domain/study/duel/duel-answer';
import { nextDuelLooks } from '../../../../../main/domain/study/duel/duel-rounds';
import { duelFixture } from '../../../../support/duel';

interface Noise {
  /** Of the logarithm of a look. */
  readonly spread: number;
  /** Of a look with the one before it. */
  readonly correlation: number;
  /** Share of looks that something else on the machine slows. */
  readonly slowed: number;
  /** Logarithm per look. */
  readonly drift: number;
}

/** Looks on a machine that others use: slow changes, single slow looks, and a drift. */
function machine(seed: number, { spread, correlation, slowed, drift }: Noise) {
  const random = createRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  let [state, looks] = [spread * normal(), 0];
  return (): number => {
    state = correlation * state + Math.sqrt(1 - correlation ** 2) * spread * normal();
    looks += 1;
    return state + drift * looks - (random() < slowed ? 0.3 * random() : 0);
  };
}

/** The duel on that machine, to its end. @param ratio of the second side to the first */
function played(duel: DuelStrategy, ratio: number, seed: number, noise: Noise) {
  const next = machine(seed, noise);
  const looks: Look[] = [];
  const searched = (): Searched => ({ looks, failed: {} });
  for (let due = nextDuelLooks(duel, searched()); due.length > 0; due = nextDuelLooks(duel, searched())) {
    for (const { candidate, phase, load, ms } of due) {
      const factor = Math.exp(next()) * (candidate === 2 ? ratio : 1);
      looks.push({
        ...{ candidate, phase, load, seconds: ms / 1000, inferencesPerSecond: 1000 * factor },
        ...{ latencyUs: 5000 / factor, requestCount: 600, errorCount: 0 },
        ...{ meanServerBatch: null, serverQueueUs: null },
      });
    }
  }
  return duelAnswer(duel, searched());
}

const share = (count: number, of: (seed: number) => boolean): number =>
  Array.from({ length: count }, (_unused, seed) => of(seed + 1)).filter(Boolean).length / count;

const duel = duelFixture({ criteria: ['throughput<0.93x'], budgetS: 170, lookMs: 900 });
const machines: Readonly<Record<string, Noise>> = {
  'independent noise': { spread: 0.07, correlation: 0, slowed: 0, drift: 0 },
  'noise that lasts for several looks': { spread: 0.12, correlation: 0.7, slowed: 0, drift: 0 },
  'noise and a drift': { spread: 0.05, correlation: 0.3, slowed: 0, drift: -0.002 },
  'single slow looks': { spread: 0.04, correlation: 0.3, slowed: 0.1, drift: 0 },
};

describe.each(Object.entries(machines))('a gate on a machine with %s', (_title, noise) => {
  it('passes a model beside itself, and finds 15 % of slowdown', () => {
    expect(share(100, (seed) => played(duel, 1, seed, noise).outcome === 'within')).toBeGreaterThanOrEqual(
      0.95,
    );
    expect(
      share(100, (seed) => played(duel, 0.85, seed, noise).outcome === 'outside'),
    ).toBeGreaterThanOrEqual(0.95);
  });

  it('says that one which is at the limit is beyond it, or within, in 5 % of comparisons at most', () => {
    expect(share(100, (seed) => played(duel, 0.93, seed, noise).outcome !== 'unclear')).toBeLessThanOrEqual(
      0.05,
    );
  });

  it('says that a model differs from itself in 5 % of comparisons at most', () => {
    const any = duelFixture({ criteria: [], budgetS: 170, lookMs: 900 });
    const differs = (seed: number) =>
      ['higher', 'lower'].includes(played(any, 1, seed, noise).judged[0]?.outcome ?? '');
    expect(share(100, differs)).toBeLessThanOrEqual(0.05);
  });
});

describe('a gate', () => {
  const quiet: Noise = { spread: 0.01, correlation: 0, slowed: 0, drift: 0 };

  it('ends as soon as each condition is told', () => {
    const both = duelFixture({ criteria: ['throughput<0.93x', 'p99>1.1x'] });
    const { judged, outcome, seconds, isTold } = played(both, 0.5, 1, quiet);
    expect(judged.map(({ criterion, outcome: one }) => [criterion, one])).toEqual([
      ['throughput<0.93x', 'outside'],
      ['p99>1.1x', 'outside'],
    ]);
    expect({ outcome, isTold }).toEqual({ outcome: 'outside', isTold: true });
    expect(seconds).toBeLessThan(20);
    expect(judged[0]?.low).toBeGreaterThan(0.4);
    expect(judged[0]?.high).toBeLessThan(0.6);
  });

  it('is unclear where the budget ends first', () => {
    const { outcome, isTold, seconds, sentence } = played(
      duel,
      0.93,
      1,
      machines['independent noise'] ?? quiet,
    );
    expect({ outcome, isTold }).toEqual({ outcome: 'unclear', isTold: false });
    expect(seconds).toBeLessThanOrEqual(170);
    expect(sentence).toMatch(
      /^throughput<0\.93x: inconclusive, ×0\.9\d \(0\.\d+ to [01]\.\d+\) after 94 pairs$/,
    );
  });

  it('asks of two requests at a rate how their latency differs', () => {
    const level = { batchSize: 1, requestRate: 200 };
    const open = duelFixture({ criteria: [] }, level);
    expect(played(open, 2, 1, quiet).judged).toMatchObject([{ metric: 'p99', outcome: 'lower' }]);
    expect(played(open, 1, 1, quiet).judged).toMatchObject([{ metric: 'p99', outcome: 'same' }]);
  });
});
