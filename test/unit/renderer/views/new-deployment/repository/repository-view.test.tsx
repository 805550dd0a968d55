// @vitest-environment jsdom
import { afterEach, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../../main/contract/errors';
import type { CheckedModel } from '../../../../../../main/contract/repository-check';
import type { OpenedModel } from '../../../../../../main/contract/run/own-model';
import { RepositoryView } from '../../../../../../renderer/views/new-deployment/repository/repository-view';
import { checkedModel, repositoryCheck } from '../../../../../support/checked-models';
import { createClientDouble } from '../../../client-double';
import { mount, type Mounted } from '../../../mounted';

const net = checkedModel({
  tensors: [
    { side: 'input', name: 'x', configured: 'TYPE_FP16 [3]', file: 'TYPE_FP32 [-1, 3]', result: 'differs' },
    { side: 'output', name: 'y', configured: null, file: 'TYPE_FP32 [-1, 3]', result: 'completed' },
  ],
  verdict: 'does not load',
  problems: [
    {
      ...{ where: 'net/config.pbtxt', message: 'the input x is TYPE_FP16', remedy: 'Write TYPE_FP32' },
      triton: 'unable to load model',
    },
  ],
  diff: '--- a/net/config.pbtxt\n+++ b/net/config.pbtxt\n@@ -1,1 +1,1 @@\n-a: 1\n+a: 2\n',
});
const caller = checkedModel({
  ...{ name: 'caller', backend: 'python', servedBy: 'Triton’s Python backend', named: ['trees'] },
  ...{ verdict: 'not checked', notChecked: ['Tensors are not checked: model.py is not executed.'] },
});
const trees = checkedModel({ name: 'trees', backend: 'fil', servedBy: null });

const untrusted: OpenedModel = {
  ...{ kind: 'repository', path: '/r/caller', title: 'caller', trusted: false, asked: [] },
  ...{ code: [{ path: 'caller/1/model.py', bytes: 3 }], choice: null, preset: null },
  notes: ['Its files and its config.pbtxt are served as they are.'],
};

let shown: Mounted | null = null;
afterEach(() => {
  shown?.unmount();
  shown = null;
});

async function show(models: readonly CheckedModel[], path: string | null = '/r') {
  const double = createClientDouble({
    'models.check': () => {
      if (models.length === 0) throw new WorkbenchError('input-invalid', '/r holds no model');
      return repositoryCheck(...models);
    },
    'models.open': () => untrusted,
    'desktop.choosePath': () => ({ path: '/r' }),
    'drafts.list': () => [],
    'drafts.save': () => null,
    'spec.preview': () => new Promise(() => undefined),
  });
  const mounted = await mount(double.client, <RepositoryView />, async ({ repository }) => {
    if (path !== null) await repository.getState().open(path);
  });
  shown = mounted;
  return {
    ...double,
    ...mounted,
    row: (name: string) => mounted.page.querySelector(`[data-model="${name}"]`),
  };
}

it('lists the models, and shows tensor by tensor why one does not load, with the change that helps', async () => {
  const { page, row, click, button } = await show([net, caller, trees]);
  expect(page.querySelector('.answer')?.textContent).toContain('3 models');
  expect(page.querySelector<HTMLElement>('.answer')?.dataset['tone']).toBe('warn');
  expect(row('net')?.textContent).toContain('Does not load, 1 problem');
  expect(row('trees')?.textContent).toContain('nvcr.io/nvidia/tritonserver:26.07-py3 has the backend');
  expect(page.textContent).toContain('Choose a model to see its tensors, and to use it.');
  await click(button('net'));
  expect(row('net')?.className).toBe('selected');
  expect(page.querySelectorAll('[aria-label="Tensors of net"] tbody tr')).toHaveLength(2);
  expect(page.querySelector('[data-result="differs"]')?.textContent).toContain('TYPE_FP16 [3]');
  expect(page.querySelector('[aria-label="Problems of net"]')?.textContent).toContain(
    'The input x is TYPE_FP16. Write TYPE_FP32.',
  );
  expect(page.textContent).toContain('Triton: unable to load model');
  expect(page.querySelector('.config-changes ins')?.textContent).toBe('+a: 2\n');
  expect(page.querySelectorAll('.config-changes :is(ins, del)')).toHaveLength(2);
  expect(button('Use this model')).toHaveProperty('disabled', true);
});

it('opens the model with those that it calls, and asks for trust where code is executed', async () => {
  const { page, calls, click, button } = await show([caller, trees]);
  expect(page.textContent).toContain('model.py names trees.');
  await click(button('Add trees'));
  await click(button('Use this model'));
  expect(calls.find(([name]) => name === 'models.open')?.[1]).toMatchObject({
    ...{ path: '/r/caller', with: ['trees'] },
  });
  expect(page.querySelector('[aria-label="Trust this code"]')?.textContent).toContain('caller/1/model.py');
  // Another model asks nothing.
  await click(button('trees'));
  expect(page.querySelector('[aria-label="Trust this code"]')).toBeNull();
});

it('asks for a folder before there is one, and says why it is none', async () => {
  const { page, click, button, workbench } = await show([], null);
  expect(page.textContent).toContain('No repository chosen yet');
  await click(button('Choose a repository…'));
  expect(workbench.route.getState().route).toEqual({ page: 'new', repository: true });
  expect(page.querySelector('[data-code="input-invalid"]')?.textContent).toContain('/r holds no model');
  expect(() => button('Check again')).not.toThrow();
});
