// @vitest-environment jsdom
import { expect, it } from 'vitest';
import type { RunSpec } from '../../../../../../main/contract/run/run-spec';
import { Review } from '../../../../../../renderer/views/new-deployment/pages/review';
import { WizardProvider } from '../../../../../../renderer/views/new-deployment/wizard-context';
import type { WizardModel } from '../../../../../../renderer/views/new-deployment/wizard-model';
import { specFixture } from '../../../../../support/run-state';
import { createClientDouble } from '../../../client-double';
import { mount } from '../../../mounted';

const textWith = async (spec: RunSpec | null): Promise<string> => {
  const { client } = createClientDouble({ 'drafts.save': () => null, 'runs.check': () => [] });
  // Only what this page reads of it.
  const model = {
    ...{ preset: { metrics: [] }, fields: [], problems: [], changes: [], ready: spec !== null },
    valueAt: () => undefined,
  } as unknown as WizardModel;
  const page = (
    <WizardProvider value={model}>
      <Review />
    </WizardProvider>
  );
  const mounted = await mount(client, page, ({ draft }) => {
    draft.setState({ preview: { spec, specHash: null, problems: [] } as never, stale: false });
    return Promise.resolve();
  });
  const text = mounted.page.querySelector('[aria-label="Command line"]')?.textContent ?? '';
  mounted.unmount();
  return text;
};

it('offers the command line of a choice that can be run, and of no other', async () => {
  expect(await textWith(specFixture())).toContain('triton-workbench run');
  const refused = await textWith(null);
  expect(refused).toContain('Fix the problems in the form to see the command.');
  expect(refused).not.toContain('triton-workbench run');
});
