import { expect, it } from 'vitest';
import { jointAnswer } from '../../../../../main/domain/study/joint/joint-answer';
import { modelOfJoint } from '../../../../../main/domain/study/joint/joint-model';
import { joint, searchJoint } from '../../../../support/simulated-joint';

const searched = searchJoint(joint);
const modelAt = (at: number) => modelOfJoint(joint, searched, { name: 'night', at });

it('is a search of its own, whose best configuration is that of the best set', () => {
  const [resnet, bert] = [modelAt(0), modelAt(1)];
  expect(resnet?.search).toMatchObject({
    ...{ kind: 'search', runId: 'resnet', load: { kind: 'open', batchSize: 1 } },
    target: { percentile: 99, latencyUs: 20_000 },
  });
  // Its third candidate is the sixth of all, or the present one.
  expect([resnet?.winner, bert?.winner]).toEqual([3, 1]);
  expect(modelAt(2)).toBeNull();
});

it('has only looks at loads that all models held, under its own numbers', () => {
  const { looks } = modelAt(1)?.searched ?? { looks: [] };
  expect(looks.length).toBeGreaterThan(5);
  expect(looks.every(({ candidate, latencyUs }) => candidate === 1 && latencyUs <= 20_000)).toBe(true);
});

it('promises its part of the load that all hold, beside the others', () => {
  const { rows, isConfirmed } = jointAnswer(joint, searched);
  expect(modelAt(0)?.promised).toEqual({
    ...{ search: 'night', confirmed: isConfirmed, percentile: 99, latencyUs: 20_000 },
    text: '253.0 requests/s within p99 20.00 ms beside bert under load',
    ...{ requestsPerSecond: 253, inferencesPerSecond: rows[0]?.inferencesPerSecond },
  });
  const slow = { ...joint, models: joint.models.map((model) => ({ ...model, latencyUs: 1000 })) };
  expect(modelOfJoint(slow, searchJoint(slow), { name: 'night', at: 0 })).toMatchObject({
    ...{ winner: null, promised: null },
  });
});
