// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ChangePlan } from '../../../../../main/contract/run/spec-tools';
import { ChangeBar } from '../../../../../renderer/views/new-deployment/change-bar';
import { NoticeBar } from '../../../../../renderer/views/new-deployment/notice-bar';
import { WizardProvider } from '../../../../../renderer/views/new-deployment/wizard-context';
import type { WizardModel } from '../../../../../renderer/views/new-deployment/wizard-model';
import { specFixture } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

const changed: ChangePlan['changed'] = [
  { path: 'performance.batchSizes', from: [1, 2], to: [1, 2, 4] },
  { path: 'precision', from: 'fp32', to: 'fp16' },
  { path: 'configure.maxBatchSize', from: 8, to: 16 },
];

let mounted: Mounted;
const draft = () => mounted.workbench.draft.getState();
const bar = () => mounted.page.querySelector('[aria-label="Change of a run"]');
const change = async (batchSizes: readonly number[]) => {
  await act(async () => {
    draft().change(['performance', 'batchSizes'], batchSizes);
    await draft().settle();
  });
};

beforeEach(async () => {
  const { client } = createClientDouble({
    'drafts.save': () => null,
    'drafts.list': () => [],
    'spec.preview': () => ({ spec: specFixture(), specHash: null, defaults: null, problems: [] }),
    'runs.planChange': () => ({ changed, steps: [], measured: 0, kept: 0, keptLevels: [] }),
  });
  const model = {
    fields: [{ keys: ['performance', 'batchSizes'], label: 'Offline batch sizes' }],
  } as unknown as WizardModel;
  mounted = await mount(
    client,
    <WizardProvider value={model}>
      <ChangeBar />
      <NoticeBar />
    </WizardProvider>,
  );
  act(() => {
    draft().changeRun({ preset: 'resnet50', overrides: {} }, 'run-1', 'performance', 20);
  });
});
afterEach(() => {
  mounted.unmount();
});

it('stays while the run is changed, with the fields that differ now, and goes with another draft', async () => {
  expect(bar()?.textContent).toContain('Changing run run-1.');
  await change([1, 2, 4]);
  expect(bar()?.textContent).toContain('Changing run run-1.');
  const lines = () => [...(bar()?.querySelectorAll('li') ?? [])].map((line) => line.textContent);
  const first = ['Offline batch sizes 1, 2 → 1, 2, 4', 'precision FP32 → FP16'];
  expect(lines()).toEqual(first);
  await mounted.click(mounted.button('All 3 changes'));
  expect(lines()).toEqual([...first, 'configure.maxBatchSize 8 → 16']);
  act(() => {
    draft().startOver();
  });
  expect(bar()?.textContent).toContain('Changing run run-1.');
  act(() => {
    draft().startNew('bert');
  });
  expect(bar()).toBeNull();
});

it('leads back to the draft before also after edits, and the change is kept under Recent', async () => {
  const { id } = draft();
  await change([1, 2, 4]);
  await mounted.click(mounted.button('Back to the previous draft'));
  expect(bar()).toBeNull();
  expect(draft()).toMatchObject({ changing: null, overrides: {} });
  expect(draft().older.map((old) => old.id)).toEqual([id]);
});

it('goes with another model, and leaves no notice', () => {
  act(() => {
    draft().choosePreset('bert');
  });
  expect(bar()).toBeNull();
  expect(draft()).toMatchObject({ changing: null, notice: null });
});
