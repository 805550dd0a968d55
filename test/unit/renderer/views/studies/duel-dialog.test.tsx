// @vitest-environment jsdom
import { act } from 'react';
import { expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../main/contract/errors';
import { DuelDialog } from '../../../../../renderer/views/studies/duel-dialog';
import { runA, runB } from '../../../../support/duel';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';
import { typeInto } from '../../type-into';

const plan = {
  spec: { name: 'compare-1', strategy: { kind: 'duel', trials: [] }, hosts: null },
  duel: { budgetS: 300 },
  notes: ['Both at concurrency 4.'],
};
const asks = { question: 'Load 2 configurations on Triton 2.51.0?', facts: ['3 models are ready there.'] };

it('both are measured on a Triton that is started, or on a running one after its question', async () => {
  const answer: { error: WorkbenchError | null } = { error: null };
  const { client, calls } = createClientDouble({
    'duels.plan': (input) => {
      if ((input as { server?: unknown }).server === undefined) return plan;
      if (answer.error !== null) throw answer.error;
      return { ...plan, asks };
    },
    'studies.start': () => null,
    'studies.list': () => [],
  });
  const named = (name: string) => calls.filter(([call]) => call === name).map(([, input]) => input);
  const { workbench, click, button, unmount } = await mount(client, <DuelDialog />);
  await act(async () => {
    workbench.overlay.getState().measureInTurns({ first: runA, second: runB });
    await Promise.resolve();
  });
  expect(named('duels.plan')).toEqual([{ between: { first: runA, second: runB }, budgetS: 300 }]);
  expect(document.body.textContent).toContain('At most 5 min of load.');
  expect(document.body.textContent).toContain('Both at concurrency 4.');
  // A comparison is not on a host of the list.
  expect(named('hosts.list')).toEqual([]);
  await typeInto('Where to measure', 'running');
  expect(() => button('Start measuring')).toThrow();
  answer.error = new WorkbenchError('server-unreachable', 'No Triton answers', { where: '--url' });
  await click(button('Check'));
  expect(document.body.textContent).toContain('No Triton answers.');
  answer.error = null;
  await click(button('Check'));
  expect(named('duels.plan').at(-1)).toMatchObject({ server: { url: 'localhost:8000' } });
  expect(document.body.textContent).toContain('3 models are ready there.');
  await click(button('Start measuring'));
  expect(document.body.textContent).toContain(asks.question);
  await click(button('Keep'));
  expect(named('studies.start')).toEqual([]);
  await click(button('Start measuring'));
  await click(button('Load and measure'));
  expect(named('studies.start')).toEqual([{ spec: plan.spec }]);
  expect(workbench.route.getState().route).toEqual({ page: 'studies', name: 'compare-1' });
  expect(workbench.overlay.getState().duel).toBeNull();
  unmount();
});
