import { expect, it } from 'vitest';
import { plannedTurns, turnOf } from '../../../../main/contract/run/sweep';
import { pointFixture, specFixture } from '../../../support/run-state';

it.each([
  ['closed', {}],
  ['open', { requestRates: [100, 200] }],
])('a measured level of a %s load asks for what was planned, and nothing else', (_load, change) => {
  const { performance } = specFixture((spec) => {
    spec.performance = { ...spec.performance, ...change };
  });
  const planned = plannedTurns(performance, 'online');
  const measured = planned.map(({ level, loadTool }) =>
    turnOf(pointFixture({ ...level, loadTool }), loadTool),
  );
  expect(planned.length).toBeGreaterThan(0);
  expect(measured).toStrictEqual(planned);
});
