import { describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import type { Scenario } from '../../../../main/contract/run/run-events';
import type { RunState } from '../../../../main/contract/run/run-state';
import {
  askOf,
  type Capacity,
  capacityOf,
  isCapacity,
  isProblem,
  requestsUnderWay,
  usualDraft,
} from '../../../../main/domain/measured/capacity';
import { ratePoint } from '../../../support/rate-run';
import {
  createdBodies,
  pointFixture,
  readingsFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

const ask = { rate: 5000, p99Ms: 20, headroom: 0.3, spare: 1, pricePerHour: null };

const runOf = (...points: readonly (readonly [Scenario, LoadPoint])[]): RunState =>
  stateOf([
    ...createdBodies(),
    ...points.map(([scenario, point], index) => ({
      ...{ type: 'measurement' as const, scenario, key: `level-${index}`, point },
    })),
  ]);

const closed = (concurrency: number, rate: number, p99Ms: number, change: Partial<LoadPoint> = {}) =>
  [
    'online',
    pointFixture({ concurrency, inferencesPerSecond: rate, p99Us: p99Ms * 1000, ...change }),
  ] as const;

const open = (requestRate: number, p99Ms: number, change: Partial<LoadPoint> = {}) => {
  const p99Us = p99Ms * 1000;
  const { scheduled } = ratePoint(requestRate);
  if (scheduled === undefined) throw new Error('The fixture has a schedule');
  return ['online', ratePoint(requestRate, { scheduled: { ...scheduled, p99Us }, ...change })] as const;
};

function planned(state: RunState, change: Partial<typeof ask> = {}): Capacity {
  const found = capacityOf(state, { ...ask, ...change });
  if (isCapacity(found)) return found;
  throw new Error(found.text);
}

describe('capacityOf', () => {
  it('plans with the highest steady level within the target, and names the next that fails', () => {
    const state = runOf(closed(1, 600, 5), closed(4, 2000, 18), closed(8, 2600, 31), closed(16, 2700, 60));
    const found = planned(state);
    expect(found).toMatchObject({ heldRate: 2000, isOpen: false, replicas: 5, gpus: 0, lower: [] });
    expect(found.held.point.concurrency).toBe(4);
    expect(found.next).toMatchObject({ reason: 'p99 31.00 ms', point: { concurrency: 8 } });
  });

  it('never plans between two levels: a target just below the next level changes nothing', () => {
    const state = runOf(closed(4, 2000, 18), closed(8, 2600, 31));
    expect(planned(state, { p99Ms: 30.9 }).heldRate).toBe(2000);
    expect(planned(state, { p99Ms: 31 }).heldRate).toBe(2600);
  });

  it.each([
    ['not steady', { stable: false, flags: ['unstable'] }],
    ['errors', { flags: ['errors'], errorCount: 900, requestCount: 100 }],
    ['wrong responses', { flags: ['wrong-responses'] }],
  ] as const)('leaves out a faster level with %s', (_what, change) => {
    const faster = closed(8, 2600, 19, change as unknown as Partial<LoadPoint>);
    const found = planned(runOf(closed(4, 2000, 18), faster));
    expect([found.heldRate, found.next?.point.concurrency]).toEqual([2000, 8]);
  });

  it('has no next level where none higher was measured, or where the higher ones hold and are slower', () => {
    expect(planned(runOf(closed(4, 2000, 18))).next).toBeNull();
    expect(planned(runOf(closed(4, 2000, 18), closed(8, 1990, 19))).next).toBeNull();
  });

  it('takes an open loop where there is one: its rate as sent, its p99 from the schedule', () => {
    const state = runOf(closed(64, 9000, 15), open(1000, 12), open(2000, 18), open(3000, 45));
    const found = planned(state);
    expect(found).toMatchObject({
      isOpen: true,
      heldRate: 1980,
      next: { reason: 'p99 45.00 ms from schedule' },
    });
    // More answers than were sent are chance, and nothing to promise.
    expect(planned(runOf(open(1000, 12, { inferencesPerSecond: 1013 }))).heldRate).toBe(1000);
  });

  it('does not plan with a closed level where the open ones do not hold', () => {
    const found = capacityOf(runOf(closed(64, 9000, 15), open(1000, 45)), ask);
    expect(found).toMatchObject({ kind: 'not-held', best: { point: { requestRate: 1000 } } });
  });

  it('does not take a rate that was not reached', () => {
    const late = open(2000, 18, { flags: ['rate-not-reached'] });
    expect(planned(runOf(open(1000, 12), late))).toMatchObject({
      ...{ heldRate: 990, next: { reason: 'rate not reached' } },
    });
  });

  it('names a lower load that fails, which the higher one contradicts', () => {
    const found = planned(runOf(closed(2, 1000, 25), closed(4, 2000, 18)));
    expect(found.lower).toMatchObject([{ reason: 'p99 25.00 ms', point: { concurrency: 2 } }]);
  });

  it('compares offline levels by batch size', () => {
    const of = (batchSize: number, rate: number, p99Ms: number) =>
      ['offline', pointFixture({ batchSize, inferencesPerSecond: rate, p99Us: p99Ms * 1000 })] as const;
    const found = planned(runOf(of(1, 300, 3), of(8, 900, 12), of(16, 1000, 22)));
    expect([found.held.point.batchSize, found.next?.point.batchSize]).toEqual([8, 16]);
  });

  it.each([
    [1300, 0, 0, 1300, 1],
    [1000, 0.3, 0, 650, 2],
    [1000, 0.3, 2, 649, 5],
    [1, 0, 0, 5000, 1],
  ])('%d/s with headroom %d and %d spare, of %d each: %d', (rate, headroom, spare, held, replicas) => {
    const found = planned(runOf(closed(4, held, 18)), { rate, headroom, spare });
    expect(found.replicas).toBe(replicas);
  });

  it('has cost by month and by million, at the rate and at full use', () => {
    const state = runOf(closed(4, 2000, 18));
    expect(planned(state).cost).toBeNull();
    const priced = capacityOf(state, { ...ask, pricePerHour: 2.5 });
    expect(isCapacity(priced) && priced.cost).toMatchObject({ perMonth: 5 * 2.5 * 730 });
    expect(isCapacity(priced) && priced.cost?.perMillionAtRate).toBeCloseTo(12.5 / 18, 9);
    expect(isCapacity(priced) && priced.cost?.perMillionAtFullUse).toBeCloseTo(2.5 / 7.2, 9);
  });

  it('has energy and how many fit only where power and both memories were read', () => {
    const gpus = readingsFixture(['GPU-a', 'GPU-b'], 0.5);
    const found = planned(runOf(closed(4, 2000, 18, { gpus })));
    expect(found.energyJ).toBeCloseTo(300 / 2000, 9);
    expect([found.serversPerGpu, found.memory.length]).toEqual([3, 2]);
    const [first, second] = gpus;
    if (first === undefined || second === undefined) throw new Error('The fixture has two GPUs');
    const unread = [first, { ...second, powerW: null, totalMemoryBytes: null }];
    const partly = planned(runOf(closed(4, 2000, 18, { gpus: unread })));
    expect([partly.energyJ, partly.serversPerGpu]).toEqual([null, null]);
    const none = planned(runOf(closed(4, 2000, 18)));
    expect([none.energyJ, none.serversPerGpu, none.memory]).toEqual([null, null, []]);
  });

  it.each([
    [{ kind: 'local' as const }, undefined, 0],
    [{ kind: 'docker' as const, gpus: ['GPU-a', 'GPU-b'], shmSizeMiB: 1024 }, undefined, 10],
    [{ kind: 'remote' as const, url: 'http://gpu1:8000' }, undefined, null],
    [{ kind: 'remote' as const, url: 'http://gpu1:8000' }, ['GPU-a'], 5],
  ])('counts the GPUs of %o with readings of %o: %o', (engine, read, gpus) => {
    const spec = specFixture((value) => {
      value.engine = engine as typeof value.engine;
    });
    const [, point] = closed(4, 2000, 18, read === undefined ? {} : { gpus: readingsFixture(read, 0.5) });
    const state = stateOf([
      ...createdBodies(spec),
      { type: 'measurement', scenario: 'online', key: 'one', point },
    ]);
    expect(planned(state).gpus).toBe(gpus);
  });

  it('says what comes nearest where no level holds the target', () => {
    const state = runOf(closed(1, 600, 25), closed(4, 2000, 31), closed(8, 100, 9, { stable: false }));
    const found = capacityOf(state, ask);
    expect(found).toMatchObject({ kind: 'not-held', best: { point: { concurrency: 1 } } });
    expect(!isCapacity(found) && found.text).toBe(
      'No steady level meets a p99 of 20 ms. The best has p99 25.00 ms at 600.0 inferences/s (online, batch size 1, concurrency 1).',
    );
    const unsteady = capacityOf(runOf(closed(8, 100, 9, { stable: false })), ask);
    expect(!isCapacity(unsteady) && unsteady.text).toContain(
      '(online, batch size 1, concurrency 8, not steady)',
    );
  });

  it('refuses a run without a rate, and one of several models at once', () => {
    expect(capacityOf(runOf(), ask)).toMatchObject({ kind: 'unmeasured', best: null });
    expect(capacityOf(runOf(closed(1, 0, 0)), ask)).toMatchObject({ kind: 'unmeasured' });
    const together = capacityOf(runOf(closed(1, 100, 5, { model: 'large' })), ask);
    expect(!isCapacity(together) && together.text).toContain('several models');
  });
});

describe('askOf', () => {
  it.each([
    ['rate', 0],
    ['rate', null],
    ['p99Ms', 0],
    ['p99Ms', null],
    ['headroom', -0.1],
    ['spare', 1.5],
    ['spare', -1],
    ['pricePerHour', 0],
  ] as const)('names the field %s where it is %s', (field, value) => {
    const asked = askOf({ ...ask, [field]: value });
    expect(isProblem(asked) && asked.field).toBe(field);
  });

  it('gives what was asked, without a price too', () => {
    expect(askOf(ask)).toEqual(ask);
    expect(askOf({ ...ask, headroom: 0, spare: 0, pricePerHour: 2.5 })).toMatchObject({ pricePerHour: 2.5 });
  });
});

describe('requestsUnderWay', () => {
  it('is the concurrency of a closed level, and rate × mean latency of an open one', () => {
    expect(requestsUnderWay(planned(runOf(closed(4, 2000, 18))))).toBe(4);
    // 990 requests/s of 9 ms.
    expect(requestsUnderWay(planned(runOf(open(1000, 12))))).toBe(9);
  });
});

describe('usualDraft', () => {
  it('has the budget of the run and the rate that one replica holds within it', () => {
    const state = { ...runOf(closed(4, 2034, 18), closed(8, 2600, 31)), p99BudgetMs: 20 };
    expect(usualDraft(state)).toEqual({ rate: 2000, p99Ms: 20, headroom: 0.3, spare: 1, pricePerHour: null });
  });

  it('takes the p99 of the best level, rounded up, for a run without a budget', () => {
    expect(usualDraft(runOf(closed(4, 2034, 18.2)))).toMatchObject({ rate: 2000, p99Ms: 19 });
    expect(usualDraft(runOf(closed(4, 7, 12)))).toMatchObject({ rate: 7, p99Ms: 12 });
    expect(usualDraft(runOf())).toBeNull();
  });
});
