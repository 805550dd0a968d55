// @vitest-environment jsdom
import { act } from 'react';
import { expect, it } from 'vitest';
import type { DataWork } from '../../../../../../main/contract/data-source';
import { WorkbenchError } from '../../../../../../main/contract/errors';
import type { HubModel } from '../../../../../../main/contract/own/hub';
import { HubModelChoice } from '../../../../../../renderer/views/new-deployment/pages/hub-model';
import { createClientDouble } from '../../../client-double';
import { mount } from '../../../mounted';
import { typeInto } from '../../../type-into';

const commit = 'c'.repeat(40);
const model: HubModel = {
  ...{ id: 'acme/my-bert', revision: commit, reference: `hf:acme/my-bert@${commit}`, files: 3 },
  ...{ bytes: 2048, missingBytes: 1024, license: 'mit', path: null, note: null },
};
const work: DataWork = {
  ...{ id: 'w1', preset: 'acme/my-bert', source: commit, title: 'acme/my-bert', kind: 'model' },
  ...{ status: 'running', fraction: 0.5, text: '1.0 KiB of 2.0 KiB', path: null, error: null },
};

const drawn = (found: () => HubModel) => {
  const double = createClientDouble({
    'models.hub': found,
    'models.fetch': () => ({ workId: 'w1' }),
    'models.open': () => {
      throw new WorkbenchError('model-folder-invalid', 'opened');
    },
  });
  const taking = (act: (asNew: boolean) => Promise<boolean>) => () => void act(false);
  return { double, mounted: mount(double.client, <HubModelChoice taking={taking} />) };
};

it('shows size and license before the download, and its progress', async () => {
  const { double, mounted } = drawn(() => model);
  const { page, workbench, button, click, unmount } = await mounted;
  await typeInto('Model of the Hugging Face hub', 'hf:acme/my-bert');
  await click(button('Look up on the hub'));
  expect(page.textContent).toContain('of which 1.0 KiB are to be downloaded. License: mit.');
  expect(double.calls.map(([name]) => name)).not.toContain('models.fetch');
  await click(button('Download 1.0 KiB'));
  const emit = (one: DataWork) =>
    act(async () => {
      workbench.hubModel.getState().onEvent({ type: 'data-work', work: one });
      await Promise.resolve();
    });
  await emit(work);
  expect(page.querySelector('progress')?.value).toBe(0.5);
  expect(button('Cancel download')).toBeDefined();
  await emit({ ...work, status: 'done', path: '/cache/my-bert' });
  expect(workbench.ownModel.getState().path).toBe('/cache/my-bert');
  unmount();
});

it('says in place why a model cannot be taken', async () => {
  const { page, button, click, unmount } = await drawn(() => {
    throw new WorkbenchError('input-invalid', 'The hub has no model acme/x that you can read');
  }).mounted;
  await typeInto('Model of the Hugging Face hub', 'acme/x');
  await click(button('Look up on the hub'));
  expect(page.textContent).toContain('The hub has no model acme/x that you can read');
  unmount();
});
