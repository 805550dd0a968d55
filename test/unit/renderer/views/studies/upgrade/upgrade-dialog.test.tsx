// @vitest-environment jsdom
import { act } from 'react';
import { expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../../main/contract/errors';
import type { UpgradeFrom } from '../../../../../../renderer/stores/overlay';
import { UpgradeDialog } from '../../../../../../renderer/views/studies/upgrade/upgrade-dialog';
import { runA } from '../../../../../support/duel';
import { upgradeStrategy } from '../../../../../support/upgraded';
import { createClientDouble } from '../../../client-double';
import { mount } from '../../../mounted';
import { typeInto } from '../../../type-into';
import { runSummary } from '../../../window-fixtures';

const upgrade = upgradeStrategy();
const plan = {
  spec: { name: 'upgrade-1', strategy: { ...upgrade, trials: [] }, hosts: null },
  ...{ upgrade, notes: ['Outputs are compared at batch size 1 and 8.'] },
};
const findings = [{ about: 'backend' as const, text: 'release 26.07 has no backend "x"', blocks: true }];

/** What was typed is planned. */
const settle = () =>
  act(async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  });

async function show(from: UpgradeFrom, engine = 'docker') {
  const answer: { error: WorkbenchError | null; blocks: boolean } = { error: null, blocks: false };
  const { client, calls } = createClientDouble({
    'upgrades.plan': () => {
      if (answer.error !== null) throw answer.error;
      return answer.blocks ? { ...plan, upgrade: { ...upgrade, findings } } : plan;
    },
    'deployments.list': () => [{ id: 'vision', engine: 'local', models: [{ name: 'ocr' }] }],
    'desktop.choosePath': () => ({ path: '/opt/triton' }),
    'studies.start': () => null,
    'studies.list': () => [],
  });
  const mounted = await mount(client, <UpgradeDialog />);
  const { workbench } = mounted;
  act(() => {
    workbench.runs.setState({ value: [runSummary({ runId: runA, engine })] });
    workbench.overlay.getState().tryRelease(from);
  });
  await settle();
  const named = (name: string) => calls.filter(([call]) => call === name).map(([, input]) => input);
  return { ...mounted, answer, named };
}

it('plans a run on a release once it is typed to the end, starts it, and opens its page', async () => {
  const { named, button, click, workbench, unmount } = await show({ runId: runA });
  expect(document.body.textContent).toContain('Enter a release, such as 26.07.');
  await typeInto('Release', '26.0');
  await settle();
  expect(named('upgrades.plan')).toEqual([]);
  await typeInto('Release', '26.07');
  await settle();
  expect(named('upgrades.plan')).toEqual([{ of: { runId: runA }, to: { release: '26.07' }, budgetS: 180 }]);
  expect(document.body.textContent).toContain('nightly: release 26.04 and release 26.07 in turns');
  expect(document.body.textContent).toContain('Outputs are compared at batch size 1 and 8.');
  await click(button('Start comparison'));
  expect(named('studies.start')).toEqual([{ spec: plan.spec }]);
  expect(workbench.route.getState().route).toEqual({ page: 'studies', name: 'upgrade-1' });
  expect(workbench.overlay.getState().upgraded).toBeNull();
  unmount();
});

it('takes a folder for a deployment of the local Triton, which is chosen', async () => {
  const { named, click, unmount } = await show({ deployment: 'vision' });
  expect(document.querySelector('[aria-label="Serving environment"]')).toBeNull();
  await click(document.querySelector('[aria-label="Choose the folder of a serving environment"]') as Element);
  await settle();
  expect(named('upgrades.plan')).toEqual([
    { of: { deployment: 'vision' }, to: { environment: '/opt/triton' }, budgetS: 180 },
  ]);
  unmount();
});

it('asks for an image by Enter or Check, and says what keeps the model from moving', async () => {
  const { named, answer, button, click, unmount } = await show({ runId: runA });
  const image = [...document.querySelectorAll('input[type="radio"]')].find(
    (one) => (one as HTMLInputElement).value === 'image',
  );
  await click(image as Element);
  await typeInto('Triton image', 'registry.example/triton:2');
  await settle();
  expect(named('upgrades.plan')).toEqual([]);
  answer.blocks = true;
  await click(button('Check'));
  await settle();
  expect(named('upgrades.plan')).toMatchObject([{ to: { image: 'registry.example/triton:2' } }]);
  expect(document.body.textContent).toContain('Do not move: release 26.07 has no backend "x".');
  answer.error = new WorkbenchError('not-trusted', 'You did not agree: registry.example/triton:2');
  await click(button('Check'));
  await settle();
  expect(document.querySelector('[role="alert"][data-code="not-trusted"]')).not.toBeNull();
  expect(() => button('Start comparison')).toThrow();
  unmount();
});
