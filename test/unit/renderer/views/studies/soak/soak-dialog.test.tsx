// @vitest-environment jsdom
import { act } from 'react';
import { expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../../main/contract/errors';
import type { SoakTarget } from '../../../../../../renderer/stores/overlay';
import { SoakDialog } from '../../../../../../renderer/views/studies/soak/soak-dialog';
import { runA } from '../../../../../support/duel';
import { soakStrategy } from '../../../../../support/soaked';
import { createClientDouble } from '../../../client-double';
import { mount } from '../../../mounted';
import { typeInto } from '../../../type-into';

const soak = soakStrategy({ forMs: 8 * 3_600_000 });
const plan = {
  spec: { name: 'soak-1', strategy: { ...soak, trials: [] }, hosts: null },
  ...{ soak, notes: ['Memory is read every 5.0 s.'] },
};
const asks = { question: 'Unload ocr on vision and load it again every 30.0 s?', facts: ['Requests fail.'] };

/** What was typed is planned. */
const settle = () =>
  act(async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  });

async function show(target: SoakTarget) {
  const answer: { error: WorkbenchError | null } = { error: null };
  const { client, calls } = createClientDouble({
    'soaks.plan': (input) => {
      if (answer.error !== null) throw answer.error;
      const isReloaded = (input as { reloadEvery?: unknown }).reloadEvery !== undefined;
      return isReloaded ? { ...plan, asks } : plan;
    },
    'servers.describe': () => ({
      ...{ title: 'Triton 2.51.0', listsModels: true, more: 0 },
      models: [{ name: 'ocr', versions: ['1'], maxBatchSize: 4, dynamicInputs: [] }],
    }),
    'deployments.list': () => [{ id: 'vision', models: [{ name: 'ocr' }] }],
    'studies.start': () => null,
    'studies.list': () => [],
  });
  const mounted = await mount(client, <SoakDialog />);
  const { workbench } = mounted;
  act(() => workbench.overlay.getState().soak(target));
  await settle();
  const named = (name: string) => calls.filter(([call]) => call === name).map(([, input]) => input);
  return { ...mounted, answer, named };
}

it('plans a soak of a run, starts it, and opens its page', async () => {
  const { named, button, click, workbench, unmount } = await show({ runId: runA });
  expect(named('soaks.plan')).toEqual([{ of: { runId: runA }, load: { share: 0.6 }, forMs: 8 * 3_600_000 }]);
  expect(document.body.textContent).toContain('ocr for 8 h 00 min, batch size 1, 10 requests/s.');
  expect(document.body.textContent).toContain('Memory is read every 5.0 s.');
  await click(button('Start soak'));
  expect(named('studies.start')).toEqual([{ spec: plan.spec }]);
  expect(workbench.route.getState().route).toEqual({ page: 'studies', name: 'soak-1' });
  expect(workbench.overlay.getState().soaked).toBeNull();
  unmount();
});

it('asks before a model is unloaded where others use it, and says what the plan refuses', async () => {
  const { named, answer, button, click, unmount } = await show({ deployment: 'vision' });
  await typeInto('Unload and load again every', '500');
  await settle();
  expect(named('soaks.plan').at(-1)).toMatchObject({
    ...{ of: { deployment: 'vision' }, reloadEvery: { requests: 500 } },
  });
  expect(document.body.textContent).toContain('Requests fail.');
  await click(button('Start soak'));
  expect(document.body.textContent).toContain(asks.question);
  await click(button('Keep'));
  expect(named('studies.start')).toEqual([]);
  answer.error = new WorkbenchError('input-invalid', 'A reload every 20 h is out of range');
  await typeInto('Unload and load again every', '5000000');
  await settle();
  expect(document.querySelector('[role="alert"][data-code="input-invalid"]')).not.toBeNull();
  expect(() => button('Start soak')).toThrow();
  unmount();
});

it('asks a running Triton for its models once its address is checked', async () => {
  const { named, button, click, unmount } = await show({});
  expect(document.body.textContent).toContain('Choose a finished run.');
  const running = [...document.querySelectorAll('input[type="radio"]')].find(
    (one) => (one as HTMLInputElement).value === 'server',
  );
  await click(running as Element);
  expect(document.body.textContent).toContain('Not checked yet: press Enter or Check.');
  expect(named('servers.describe')).toEqual([]);
  await typeInto('Triton HTTP address', 'localhost:9000');
  await click(button('Check'));
  expect(named('servers.describe')).toEqual([{ url: 'localhost:9000' }]);
  expect(document.body.textContent).toContain('Triton 2.51.0, 1 model ready');
  expect(document.body.textContent).toContain('Choose a model of the server.');
  // Of a server no load is known of which a share could be taken.
  expect(document.body.textContent).not.toContain('Share of the run');
  expect(named('soaks.plan')).toEqual([]);
  unmount();
});
