import { expect, it } from 'vitest';
import { jointTries } from '../../../../main/domain/study/joint/joint-tries';
import { jointChart } from '../../../../main/reports/charts/joint-chart';
import { renderChart } from '../../../../main/reports/charts/render-chart';
import { joint, searchJoint } from '../../../support/simulated-joint';

it('draws each model of the best set beside its target, and the loads of the others', () => {
  const chart = jointChart(joint, jointTries(joint, searchJoint(joint)));
  if (chart === null) throw new Error('nothing was drawn');
  const drawn = renderChart(chart);
  const models = joint.models.map(({ title }) => title);
  for (const text of [
    ...models,
    'Target of each model',
    'Load that was not held',
    'Load (× the given rates)',
  ]) {
    expect(drawn).toContain(`>${text}</text>`);
  }
  expect(drawn).toContain('>Latency of each model of the best configurations, by the load of all</text>');
});

it('draws nothing before a load was measured', () => {
  expect(jointChart(joint, jointTries(joint, { looks: [], failed: {} }))).toBeNull();
});
