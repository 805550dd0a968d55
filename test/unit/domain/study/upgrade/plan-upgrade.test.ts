import { expect, it } from 'vitest';
import type { UpgradeFinding, UpgradeRequest } from '../../../../../main/contract/study/upgrade';
import { planUpgrade } from '../../../../../main/domain/study/upgrade/plan-upgrade';
import { runA } from '../../../../support/duel';
import {
  createdBodies,
  deployed,
  measurementBody,
  pointFixture,
  preparationBodies,
  specFixture,
  stateOf,
} from '../../../../support/run-state';
import { upgradeStrategy } from '../../../../support/upgraded';

const of = {
  ...{ subject: { kind: 'run' as const, runId: runA }, title: 'nightly', findings: [] },
  sides: upgradeStrategy().sides,
};

function plan(
  change: Partial<Omit<UpgradeRequest, 'of' | 'to'>> = {},
  point: Parameters<typeof pointFixture>[0] = { batchSize: 2, concurrency: 16, inferencesPerSecond: 400 },
  findings: readonly UpgradeFinding[] = [],
) {
  const spec = specFixture((own) => {
    own.configure.maxBatchSize = 8;
  });
  const measured = measurementBody('online', pointFixture(point));
  const state = deployed(stateOf([...createdBodies(spec), ...preparationBodies(), measured]));
  return planUpgrade(
    { ...state, runId: runA, name: 'nightly' },
    { ...change, name: 'next' },
    { ...of, findings: [...findings] },
  );
}

it('takes the level of the answer, and compares at 1, its batch size and the largest', () => {
  const { upgrade, notes, spec } = plan();
  expect(upgrade).toMatchObject({
    ...{ level: { batchSize: 2, concurrency: 16 }, batchSizes: [1, 2, 8], budgetS: 180, loads: 3 },
    criteria: ['throughput<0.9x', 'p99>1.1x'],
  });
  expect(notes).toEqual([
    'Load: batch size 2, concurrency 16, the level of the answer of nightly.',
    'Outputs are compared at batch sizes 1, 2 and 8, and with the reference of the run.',
  ]);
  expect(spec).toMatchObject({ name: 'next', strategy: { kind: 'upgrade', trials: [] } });
});

it('begins with what is to be done first, and with what changes', () => {
  const findings: UpgradeFinding[] = [
    { about: 'package', text: 'onnxruntime 1.31.1 is missing', blocks: false },
    { about: 'backend', text: 'the image has no backend "python"', blocks: true },
  ];
  const { notes, upgrade } = plan({}, undefined, findings);
  expect(notes.slice(0, 3)).toEqual([
    'the image has no backend "python".',
    'onnxruntime 1.31.1 is missing.',
    'Load: batch size 2, concurrency 16, the level of the answer of nightly.',
  ]);
  expect(upgrade.findings).toEqual(findings);
});

it('judges the latency only at a rate, and what was typed', () => {
  const { upgrade } = plan({ requestRate: 50, batchSize: 1 });
  expect(upgrade).toMatchObject({ level: { batchSize: 1, requestRate: 50 }, criteria: ['p99>1.1x'] });
  expect(upgrade.batchSizes).toEqual([1, 8]);
  expect(plan({ criteria: ['p99 > 1.5x'], loads: 1 }).upgrade).toMatchObject({
    ...{ criteria: ['p99>1.5x'], loads: 1 },
  });
});

it('refuses what tells nothing, and a request that the model does not take', () => {
  expect(() => plan({ budgetS: 2 })).toThrow(/A result takes at least/);
  expect(() => plan({ batchSize: 16 })).toThrow(/at most 8 rows/);
});
