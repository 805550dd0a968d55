// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import { RenameDialog } from '../../../../../renderer/views/runs/rename-dialog';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';
import { runList, runSummary } from '../../window-fixtures';

let mounted: Mounted | null = null;
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

async function shown(name: string | null) {
  const run = runSummary({ runId: 'a', name });
  const other = runSummary({ runId: 'b', name: 'weekly' });
  const double = createClientDouble({ 'runs.list': () => runList(run, other), 'runs.rename': () => null });
  mounted = await mount(double.client, <RenameDialog />, async ({ runs, overlay }) => {
    await runs.getState().load();
    overlay.getState().rename('a');
  });
  const input = document.querySelector<HTMLInputElement>('input');
  if (input === null) throw new Error('no field for the name');
  const type = async (text: string): Promise<void> => {
    await act(async () => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await Promise.resolve();
    });
  };
  const submit = async (): Promise<void> => {
    await act(async () => {
      document.querySelector('form')?.requestSubmit();
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    });
  };
  return { ...double, mounted, input, type, submit };
}

it('renames the run, and closes', async () => {
  const { calls, input, type, submit, mounted: view } = await shown('nightly');
  expect(input.value).toBe('nightly');
  await type(' weekly ');
  await submit();
  expect(calls).toContainEqual(['runs.rename', { runId: 'a', name: 'weekly' }]);
  expect(view.workbench.overlay.getState().renamed).toBeNull();
});

it('takes the name away when the field is empty', async () => {
  const { calls, type, submit } = await shown('nightly');
  await type('');
  await submit();
  expect(calls).toContainEqual(['runs.rename', { runId: 'a', name: null }]);
});

it('refuses a name that means something else on the command line', async () => {
  const { type, mounted: view } = await shown(null);
  await type('latest');
  expect(document.body.textContent).toContain('"latest" and "published" are reserved');
  expect(view.button('Rename')).toHaveProperty('disabled', true);
});

it('says that another run has the name, and takes it all the same', async () => {
  const { calls, type, submit } = await shown('nightly');
  const note = () => document.querySelector('[role="status"]')?.textContent;
  expect(note()).toBe('');
  await type('weekly ');
  expect(note()).toBe('Another run has this name. In commands, use the run ID instead.');
  await submit();
  expect(calls).toContainEqual(['runs.rename', { runId: 'a', name: 'weekly' }]);
});
