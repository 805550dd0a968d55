// @vitest-environment jsdom
import { expect, it } from 'vitest';
import type { SpecProblem } from '../../../../../../main/contract/run/spec-tools';
import { ConfigEditor } from '../../../../../../renderer/views/new-deployment/editor/config-editor';
import { WizardProvider } from '../../../../../../renderer/views/new-deployment/wizard-context';
import type { WizardModel } from '../../../../../../renderer/views/new-deployment/wizard-model';
import { createClientDouble } from '../../../client-double';
import { mount } from '../../../mounted';

const problemAt = (field: string): SpecProblem => ({
  field,
  severity: 'problem',
  message: 'Required',
  remedy: null,
});

async function editorWith(...fields: readonly string[]) {
  const { client } = createClientDouble({ 'drafts.save': () => null });
  // Only what the editor reads of it.
  const model = {
    ...{ preset: { formats: ['onnx'] }, fields: [], valueAt: () => undefined },
  } as unknown as WizardModel;
  const page = (
    <WizardProvider value={model}>
      <ConfigEditor />
    </WizardProvider>
  );
  return mount(client, page, ({ draft, formView }) => {
    const preview = { configPbtxt: null, generatedPbtxt: null, problems: fields.map(problemAt) };
    draft.setState({ preview: preview as never, stale: false, page: 'configure' });
    formView.getState().show('all');
    return Promise.resolve();
  });
}

it('names the page of a problem that is elsewhere, and leads there', async () => {
  const { page, button, click, workbench, unmount } = await editorWith('model.source.path');
  expect(page.textContent).toContain('No config.pbtxt yet. Fix the problems on the Model page.');
  await click(button('Model'));
  expect(workbench.draft.getState().page).toBe('model');
  unmount();
});

it('names every page that has a problem, in the order of the pages', async () => {
  const { page, unmount } = await editorWith('configure.maxBatchSize', 'precision', 'engine.host');
  expect(page.textContent).toContain(
    'Fix the problems on the pages Environment, Export & convert, Configure (this page).',
  );
  unmount();
});

it('leads nowhere where the problem is beside it', async () => {
  const { page, unmount } = await editorWith('configure.maxBatchSize');
  expect(page.textContent).toContain('Fix the problems shown in the form.');
  unmount();
});
