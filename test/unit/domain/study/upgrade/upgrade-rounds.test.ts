import { expect, it } from 'vitest';
import type { UpgradeLoad } from '../../../../../main/contract/study/upgrade';
import { nextLoad, nextUpgradeLooks } from '../../../../../main/domain/study/upgrade/upgrade-rounds';
import { loadOf, turns, upgradeStrategy } from '../../../../support/upgraded';

it('loads both equally often, in turns', () => {
  const order: number[] = [];
  const loads: UpgradeLoad[] = [];
  for (
    let next = nextLoad({ loads: 3 }, { loads });
    next !== null;
    next = nextLoad({ loads: 3 }, { loads })
  ) {
    order.push(next);
    loads.push(loadOf(next));
  }
  expect(order).toEqual([1, 2, 2, 1, 2, 1]);
});

it('looks at both in turns until the conditions and the differences are told', () => {
  const upgrade = upgradeStrategy();
  const next = (looks = turns(0)) => nextUpgradeLooks(upgrade, { looks, failed: {} });
  expect(next()).toEqual([{ candidate: 1, phase: 'turn', load: { concurrency: 8 }, ms: 900 }]);
  expect(next(turns(1)).map(({ candidate }) => candidate)).toEqual([2]);
  expect(next(turns(8))).toEqual([]);
});

it('ends as soon as one is too much worse, and where a side failed or the budget is used', () => {
  const upgrade = upgradeStrategy({ criteria: ['p99>1.1x'] });
  const looks = turns(6, { p99: 2 });
  expect(nextUpgradeLooks(upgrade, { looks, failed: {} })).toEqual([]);
  const error = { code: 'server-gone' as const, message: 'gone' };
  expect(nextUpgradeLooks(upgrade, { looks: [], failed: { 2: error } })).toEqual([]);
  expect(nextUpgradeLooks(upgradeStrategy({ budgetS: 1 }), { looks: [], failed: {} })).toEqual([]);
});

it('judges only the latency at a rate', () => {
  const upgrade = upgradeStrategy({ level: { batchSize: 1, requestRate: 50 }, criteria: ['p99>1.1x'] });
  expect(nextUpgradeLooks(upgrade, { looks: [], failed: {} })[0]?.load).toEqual({ requestRate: 50 });
  expect(nextUpgradeLooks(upgrade, { looks: turns(8, { throughput: 0.5 }), failed: {} })).toEqual([]);
});
