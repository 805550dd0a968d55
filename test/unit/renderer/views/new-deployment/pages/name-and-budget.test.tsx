// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { defaultSettings, type Settings } from '../../../../../../main/contract/settings/settings';
import { NoticeBar } from '../../../../../../renderer/views/new-deployment/notice-bar';
import {
  BudgetInput,
  NameInput,
} from '../../../../../../renderer/views/new-deployment/pages/name-and-budget';
import { WizardProvider } from '../../../../../../renderer/views/new-deployment/wizard-context';
import type { WizardModel } from '../../../../../../renderer/views/new-deployment/wizard-model';
import { createClientDouble } from '../../../client-double';
import { mount } from '../../../mounted';
import { runList, runSummary } from '../../../window-fixtures';

const draw = (values: Settings) => {
  const { client } = createClientDouble({ 'drafts.save': () => null, 'spec.preview': () => null });
  // Nothing of the model is shown here.
  const model = {} as WizardModel;
  const page = (
    <WizardProvider value={model}>
      <NoticeBar />
      <BudgetInput />
    </WizardProvider>
  );
  return mount(client, page, ({ settings, draft }) => {
    settings.setState({ state: { values } as never });
    draft.getState().startOver();
    return Promise.resolve();
  });
};

it('the budget says its default, with the one of the settings, and a start over that it is of the defaults', async () => {
  const none = await draw(defaultSettings);
  expect(none.page.textContent).toContain('p99 budget (ms)');
  expect(none.page.querySelector('input')?.placeholder).toBe('none');
  expect(none.page.textContent).not.toContain('Default:');
  none.unmount();
  const given = await draw({ ...defaultSettings, 'deployment.p99BudgetMs': 50 });
  expect(given.page.textContent).toContain('Default: 50 ms, from Settings.');
  expect(given.page.textContent).toContain('All settings are the defaults of the model again.');
  given.unmount();
});

it('the name of a new run may be that of another one, which is said', async () => {
  const list = runList(runSummary({ runId: 'a', name: 'nightly' }));
  const { client } = createClientDouble({ 'drafts.save': () => null, 'runs.list': () => list });
  const page = (
    <WizardProvider value={{} as WizardModel}>
      <NameInput />
    </WizardProvider>
  );
  const drawn = async (changing: string | null) => {
    const { page: shown, unmount } = await mount(client, page, async ({ runs, draft }) => {
      await runs.getState().load();
      draft.setState({ name: 'nightly', changing });
    });
    const text = shown.textContent;
    unmount();
    return text;
  };
  expect(await drawn(null)).toContain('Another run has this name.');
  expect(await drawn('a')).not.toContain('Another run has this name.');
});
