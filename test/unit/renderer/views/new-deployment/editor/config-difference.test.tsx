// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { ConfigDifference } from '../../../../../../renderer/views/new-deployment/editor/config-difference';
import { WizardProvider } from '../../../../../../renderer/views/new-deployment/wizard-context';
import type { WizardModel } from '../../../../../../renderer/views/new-deployment/wizard-model';
import { specFixture } from '../../../../../support/run-state';
import { createClientDouble } from '../../../client-double';
import { mount } from '../../../mounted';

const before = 'backend: "python"\nmax_batch_size: 4 # tuned\n';

async function textWith(config: string | null, configPbtxt: string, isRepository = true) {
  const { client } = createClientDouble({ 'drafts.save': () => null });
  const spec = specFixture((one) => {
    if (!isRepository) return;
    one.model.source = {
      ...{ kind: 'repository', path: '/r/m', title: 'm', inputs: [], outputs: [], batched: true },
      externalFiles: [],
      repository: { models: [{ name: 'm', backend: 'python' }], with: [], version: 1, config },
    };
  });
  const model = { fields: [], valueAt: () => undefined } as unknown as WizardModel;
  const page = (
    <WizardProvider value={model}>
      <ConfigDifference />
    </WizardProvider>
  );
  const mounted = await mount(client, page, ({ draft }) => {
    const preview = { spec, configPbtxt, generatedPbtxt: config ?? '', problems: [] };
    draft.setState({ preview: preview as never, stale: false });
    return Promise.resolve();
  });
  const { textContent } = mounted.page;
  const changed = [...mounted.page.querySelectorAll('ins, del')].map((one) => one.textContent);
  mounted.unmount();
  return { textContent, changed };
}

it('shows the lines that a field changes, and no others', async () => {
  const { textContent, changed } = await textWith(before, before.replace('4 #', '8 #'));
  expect(textContent).toContain('Difference of config.pbtxt');
  expect(textContent).toContain('a/m/config.pbtxt');
  expect(changed).toEqual(['-max_batch_size: 4 # tuned\n', '+max_batch_size: 8 # tuned\n']);
});

it('says that the file is served as it is, or that Triton completes it; nothing of another model', async () => {
  expect((await textWith(before, before)).textContent).toContain('byte for byte');
  expect((await textWith(null, '')).textContent).toContain('Triton completes it');
  expect((await textWith(null, 'max_batch_size: 2\n')).textContent).toContain('/dev/null');
  expect((await textWith(before, before, false)).textContent).not.toContain('config.pbtxt');
});
