// @vitest-environment jsdom
import { act } from 'react';
import { expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../../main/contract/errors';
import { JointDialog } from '../../../../../../renderer/views/studies/joint/joint-dialog';
import { runA, runB } from '../../../../../support/duel';
import { joint } from '../../../../../support/simulated-joint';
import { createClientDouble } from '../../../client-double';
import { mount } from '../../../mounted';
import { typeInto } from '../../../type-into';
import { runSummary } from '../../../window-fixtures';

const plan = {
  spec: { name: 'search-1', strategy: { ...joint, trials: [] }, hosts: null },
  joint,
  notes: ['Objective: the most load within all targets, in the proportion of the rates.'],
};

it('runs, a rate and a target each become a plan with its measurements, and then a study', async () => {
  const answer: { error: WorkbenchError | null } = { error: null };
  const { client, calls } = createClientDouble({
    'runs.list': () => ({
      runs: [runA, runB].map((runId) => runSummary({ runId, status: 'done' })),
      left: 0,
    }),
    'searches.planJoint': () => {
      if (answer.error !== null) throw answer.error;
      return plan;
    },
    'studies.start': () => null,
    'studies.list': () => [],
  });
  const named = (name: string) => calls.filter(([call]) => call === name).map(([, input]) => input);
  const { workbench, click, button, unmount } = await mount(client, <JointDialog />);
  await act(async () => {
    workbench.overlay.getState().searchTogether([]);
    await Promise.resolve();
  });
  expect(document.body.textContent).toContain('Choose two or more runs.');
  await act(async () => {
    workbench.overlay.getState().close();
    await Promise.resolve();
    workbench.overlay.getState().searchTogether([runA, runB]);
    await Promise.resolve();
  });
  expect(document.body.textContent).toContain('Enter the rate of each model.');
  await typeInto('Rate (inferences/s)', '100');
  expect(named('searches.planJoint')).toEqual([]);
  answer.error = new WorkbenchError('input-invalid', 'A search of several models needs at least 76 s');
  await typeInto('Rate (inferences/s)', '40', 1);
  expect(document.body.textContent).toContain('A search of several models needs at least 76 s');
  expect(() => button('Start search')).toThrow();
  answer.error = null;
  await typeInto('Largest p99 (ms)', '20');
  expect(named('searches.planJoint').at(-1)).toEqual({
    models: [
      { of: { runId: runA }, rate: 100, p99Ms: 20 },
      { of: { runId: runB }, rate: 40 },
    ],
    ...{ objective: 'load', budgetS: 300 },
  });
  // 300 s: ten measurements of 4 s at the end, and 130 of 2 s.
  expect(document.body.textContent).toContain(
    '2 models with 6 configurations: at most 140 measurements of all together, 5 min of load.',
  );
  expect(document.body.textContent).toContain('Objective: the most load within all targets');
  await click(button('Start search'));
  expect(named('studies.start')).toEqual([{ spec: plan.spec }]);
  expect(workbench.route.getState().route).toEqual({ page: 'studies', name: 'search-1' });
  expect(workbench.overlay.getState().together).toBeNull();
  unmount();
});
