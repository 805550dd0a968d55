// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../../main/contract/errors';
import type { HuggingFaceTask } from '../../../../../../main/contract/run/hugging-face';
import { ServedAsTensors } from '../../../../../../renderer/views/new-deployment/pages/served-as';
import { WizardProvider } from '../../../../../../renderer/views/new-deployment/wizard-context';
import type { WizardModel } from '../../../../../../renderer/views/new-deployment/wizard-model';
import { specFixture } from '../../../../../support/run-state';
import { createClientDouble } from '../../../client-double';
import { mount, type Mounted } from '../../../mounted';

const path = '/models/my-bert';

let mounted: Mounted;
afterEach(() => {
  mounted.unmount();
});

async function shown(task: HuggingFaceTask, chosen: string) {
  const double = createClientDouble({
    'drafts.save': () => null,
    'runs.check': () => [],
    'desktop.choosePath': () => ({ path: chosen }),
    'models.asPipeline': () => {
      throw new WorkbenchError('input-invalid', `${chosen} has no texts`, { where: '--texts' });
    },
  });
  mounted = await mount(
    double.client,
    // Nothing of the model is shown here.
    <WizardProvider value={{} as WizardModel}>
      <ServedAsTensors path={path} />
    </WizardProvider>,
  );
  act(() => {
    const model = { shapes: { input_ids: [1, 64] }, source: { huggingFace: { task } } };
    mounted.workbench.draft.setState({ preview: { spec: { ...specFixture(), model } } as never });
  });
  const { button, click } = mounted;
  return {
    press: (name: string) => click(button(name)),
    text: () => mounted.page.textContent,
    asked: (name: string) => double.calls.filter(([call]) => call === name).map(([, input]) => input),
  };
}

it('a pipeline of texts is written with a file of one’s own, and keeps it where that is refused', async () => {
  const { press, text, asked } = await shown('text-classification', '/data/reviews.csv');
  expect(text()).toContain('Samples of the pipeline: those of the workbench.');
  await press('Choose a file of texts…');
  expect(asked('desktop.choosePath')).toMatchObject([{ kind: 'file' }]);
  await press('Serve as a pipeline');
  const request = { path, shapes: { input_ids: [1, 64] } };
  expect(asked('models.asPipeline')).toEqual([{ ...request, texts: '/data/reviews.csv' }]);
  expect(text()).toContain('/data/reviews.csv has no texts');
  expect(text()).not.toContain('--texts');
  expect(text()).toContain('Samples of the pipeline: reviews.csv');
  await press('Remove');
  await press('Serve as a pipeline');
  expect(asked('models.asPipeline').at(-1)).toEqual(request);
});

it.each<[HuggingFaceTask, string]>([
  ['image-classification', 'Choose a folder of images…'],
  ['automatic-speech-recognition', 'Choose a folder of recordings…'],
])('a pipeline for %s takes a folder', async (task, button) => {
  const { press, asked } = await shown(task, '/data/labeled');
  await press(button);
  expect(asked('desktop.choosePath')).toMatchObject([{ kind: 'folder' }]);
  await press('Serve as a pipeline');
  expect(asked('models.asPipeline')).toMatchObject([{ path, samples: '/data/labeled' }]);
});
