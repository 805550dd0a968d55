import { describe, expect, it } from 'vitest';
import type { JointRequest } from '../../../../../main/contract/study/joint';
import { planJoint } from '../../../../../main/domain/study/joint/plan-joint';
import { completeState } from '../../../../support/run-state';

const run = completeState();
const of = { runId: run.runId };
const space = { instances: [1, 2], threads: [1], batching: ['static' as const] };
const models: JointRequest['models'] = [
  { of, title: 'resnet', rate: 100, p99Ms: 20, space },
  { of, title: 'bert', rate: 50, p99Ms: 50, space },
];
const unrated = models.map(({ of: own, title, p99Ms, space: values }) => ({
  of: own,
  title,
  p99Ms,
  space: values,
}));
const asked = [
  { run, choice: null },
  { run, choice: null },
];
const plan = (change: Partial<Omit<JointRequest, 'name'>> = {}, of = asked) =>
  planJoint(of, { models, name: 'night', ...change }, { onGpu: false, processors: 2 });

it('has each model with its rate, its target and its configurations, the present one first', () => {
  const { joint, spec, notes } = plan();
  expect(joint).toMatchObject({ kind: 'joint', isMix: false, objective: 'load', budgetS: 300 });
  expect(
    joint.models.map(({ title, rate, latencyUs, percentile }) => [title, rate, latencyUs, percentile]),
  ).toEqual([
    ['resnet', 100, 20_000, 99],
    ['bert', 50, 50_000, 99],
  ]);
  const { configure } = run.source.spec;
  expect(joint.models[0]?.candidates[0]).toMatchObject({ instances: configure.instances });
  expect(spec).toEqual({ name: 'night', strategy: { ...joint, trials: [] }, hosts: null });
  expect(notes).toContain(
    `resnet: 100.0 inferences/s, p99 at most 20.00 ms, batch size ${joint.models[0]?.batchSize}, ${joint.models[0]?.candidates.length} configurations.`,
  );
});

it('shares are parts of one mix, whatever their sum', () => {
  const { joint } = plan({
    models: unrated.map((model, at) => ({ ...model, share: at === 0 ? 6 : 2 })),
  });
  expect(joint.isMix).toBe(true);
  expect(joint.models.map(({ rate }) => rate)).toEqual([0.75, 0.25]);
});

it('models of one name are told apart', () => {
  const { joint } = plan({
    models: models.map(({ of: own, rate, p99Ms, space: values }) => ({
      of: own,
      rate,
      p99Ms,
      space: values,
    })),
  });
  const { modelName } = run.source.spec.configure;
  expect(joint.models.map(({ title }) => title)).toEqual([modelName, `${modelName} 2`]);
});

it('a model without a run is made first, and the plan says so', () => {
  const choice = { preset: 'resnet50', overrides: {} };
  const unmade = { run: { runId: null, source: run.source, p99BudgetMs: null }, choice } as const;
  const { joint, spec, notes } = plan({}, [{ run, choice: null }, unmade as never]);
  expect(joint.models.map(({ runId }) => runId)).toEqual([run.runId, null]);
  expect(spec.strategy.trials).toEqual([{ choice, axes: [], refusal: null }]);
  expect(notes).toContain('Prepared first, each up to its accuracy check and not counted as load: bert.');
});

it('measures longer where a rate is low, and says where a percentile stays coarse', () => {
  expect(plan().joint.lookMs).toBeGreaterThan(2000);
  const slow = plan({ models: models.map((model) => ({ ...model, rate: 2 })) });
  expect(slow.joint.lookMs).toBeLessThanOrEqual(10_000);
  expect(slow.notes.join(' ')).toMatch(
    /A measurement has about \d+ requests of the model with the lowest rate/,
  );
  const fast = plan({ models: models.map((model) => ({ ...model, rate: 5000 })) });
  expect(fast.notes.join(' ')).not.toContain('coarse');
});

describe('what a search of several models refuses', () => {
  it.each([
    [{ models: models.map((model, at) => (at === 0 ? model : { ...model, share: 2 })) }, 'models.0'],
    [{ models: unrated }, 'models.0'],
    [
      {
        objective: 'instances' as const,
        models: unrated.map((model) => ({ ...model, share: 1 })),
      },
      'objective',
    ],
    [{ budgetS: 5 }, 'budgetS'],
    [
      {
        models: models.map((model) => ({
          ...model,
          space: { instances: Array.from({ length: 300 }, (_one, at) => at + 1) },
        })),
      },
      'models.0.space',
    ],
  ])('case %#', (change, where) => {
    expect(() => plan(change)).toThrow(expect.objectContaining({ code: 'input-invalid', where }));
  });

  it('a budget that is too short, with the least that is enough', () => {
    try {
      plan({ budgetS: 5 });
      expect.unreachable();
    } catch (error) {
      const least = Number(/budgetS: (\d+)/.exec((error as { readonly remedy: string }).remedy)?.[1]);
      expect(plan({ budgetS: least }).joint.budgetS).toBe(least);
    }
  });
});
