import { describe, expect, it } from 'vitest';
import type { RunSpec } from '../../../../../main/contract/run/run-spec';
import type { DeployedRun } from '../../../../../main/contract/run/run-state';
import { type DuelRequest, duelStrategySchema } from '../../../../../main/contract/study/duel';
import { tryableNumbers } from '../../../../../main/domain/measured/limits/limits';
import { planDuel } from '../../../../../main/domain/study/duel/plan-duel';
import { runA, runB } from '../../../../support/duel';
import {
  createdBodies,
  deployed,
  measurementBody,
  pointFixture,
  preparationBodies,
  specFixture,
  stateOf,
} from '../../../../support/run-state';

type Point = Parameters<typeof pointFixture>[0];

function measured(runId: string, name: string, points: readonly Point[], change?: (spec: RunSpec) => void) {
  const spec = specFixture(change);
  const bodies = points.map((point) => measurementBody('online', pointFixture(point)));
  const state = deployed(stateOf([...createdBodies(spec), ...preparationBodies(), ...bodies]));
  return { ...state, runId, name };
}

const slow = { batchSize: 1, concurrency: 4, inferencesPerSecond: 50, p99Us: 90_000 };
const fast = { batchSize: 2, concurrency: 16, inferencesPerSecond: 400, p99Us: 60_000 };
const atRate = { batchSize: 1, concurrency: 128, requestRate: 900, inferencesPerSecond: 900 };
const first = measured(runA, 'accepted', [slow, fast]);
const second = measured(runB, 'build', [slow]);
const plan = (
  change: Partial<Omit<DuelRequest, 'server'>> = {},
  runs: readonly [DeployedRun, DeployedRun] = [first, second],
) => planDuel(runs, { between: { first: runA, second: runB }, ...change, name: 'night' });

describe('the level of a comparison in turns', () => {
  it('is that of the answer of the first run, which is said', () => {
    const { duel, notes } = plan();
    expect(duel.sides.map(({ level }) => level)).toEqual([
      { batchSize: 2, concurrency: 16 },
      { batchSize: 2, concurrency: 16 },
    ]);
    expect(notes).toEqual(['Load: batch size 2, concurrency 16, the level of the answer of accepted.']);
  });

  it('is of a closed loop where the throughput is judged, else may be a rate', () => {
    const open = [measured(runA, 'accepted', [slow, atRate]), second] as const;
    expect(plan({ criteria: ['p99>1.1x'] }, open).duel.sides[0].level).toEqual({
      batchSize: 1,
      requestRate: 900,
    });
    expect(plan({ criteria: ['throughput<0.93x'] }, open).duel.sides[0].level).toEqual({
      batchSize: 1,
      concurrency: 4,
    });
  });

  it('is as typed', () => {
    expect(plan({ concurrency: 3, batchSize: 4 }).duel.sides[1].level).toEqual({
      batchSize: 4,
      concurrency: 3,
    });
    expect(plan({ requestRate: 20, batchSize: 1 }).duel.sides[1].level).toEqual({
      batchSize: 1,
      requestRate: 20,
    });
    expect(plan({ concurrency: 3 }).notes).toEqual([]);
  });

  it.each<readonly [Partial<Omit<DuelRequest, 'server'>>, string]>([
    [{ concurrency: 1, requestRate: 1 }, 'The load is a concurrency or a request rate'],
    [
      { requestRate: 9, criteria: ['throughput<0.9x'] },
      'At a request rate both have the throughput of that rate',
    ],
    [{ batchSize: 17 }, `${runA} takes at most 16 rows in a request, not 17`],
    [{ budgetS: 2 }, 'Nothing can be told in less than'],
    [{ criteria: ['p95>1x'] }, '"p95>1x" is not a criterion'],
  ])('refuses %j', (change, message) => {
    expect(() => plan(change)).toThrow(message);
  });

  it('is asked for where no run has one', () => {
    const empty = [measured(runA, 'a', []), measured(runB, 'b', [])] as const;
    expect(() => plan({}, empty)).toThrow('The runs have no level');
    expect(plan({ concurrency: 2 }, empty).duel.sides[0].level).toEqual({ batchSize: 1, concurrency: 2 });
  });
});

it.each([
  ['throughput', 300, 600],
  ['p99', 900, 2000],
] as const)('takes looks that hold enough requests for the %s, of 5 s at most', (metric, fast, slower) => {
  const lookMs = (inferencesPerSecond: number) =>
    plan({ criteria: [`${metric}<0.9x`] }, [measured(runA, 'a', [{ ...slow, inferencesPerSecond }]), second])
      .duel.lookMs;
  expect(lookMs(5000)).toBe(fast);
  expect(lookMs(100)).toBe(slower);
  expect(lookMs(1)).toBe(5000);
});

it('is kept as a study that reads back', () => {
  const { duel, spec } = plan({ criteria: [' throughput < 0.93x '] });
  expect(duel.criteria).toEqual(['throughput<0.93x']);
  expect(duelStrategySchema.parse(JSON.parse(JSON.stringify(spec.strategy)))).toEqual(duel);
});

describe('a suggestion', () => {
  const queued = { ...slow, concurrency: 8, avgUs: 40_000, serverQueueUs: 32_000 };
  const run = measured(runA, 'accepted', [queued], ({ configure, performance }) => {
    configure.batching = 'disabled';
    performance.protocol = 'http';
  });
  const tried = (suggestion: number) =>
    planDuel([run, run], { between: { runId: runA, suggestion }, name: 'try' });

  it('is measured beside the run as it is, at the level that it is of', () => {
    expect(tryableNumbers(run)).toContain(1);
    const { duel } = tried(1);
    const [present, changed] = duel.sides;
    expect(present).toEqual({
      runId: runA,
      title: 'present configuration',
      level: { batchSize: 1, concurrency: 8 },
    });
    expect(changed.runId).toBe(runA);
    expect(changed.configure ?? changed.sending).toBeDefined();
    expect(changed.title).not.toBe('');
    expect(duel.criteria).toEqual([]);
  });

  it('is refused by a number that there is not', () => {
    expect(() => tried(9)).toThrow('The run has no suggestion 9');
    expect(() => tried(0)).toThrow('The run has no suggestion 0');
  });
});
