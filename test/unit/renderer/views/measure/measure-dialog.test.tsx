// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../main/contract/errors';
import type { MeasureTarget } from '../../../../../renderer/stores/overlay';
import { MeasureDialog } from '../../../../../renderer/views/measure/measure-dialog';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

let mounted: Mounted | null = null;
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

const refused = 'localhost:8000 refuses connections.';

async function opened(target: MeasureTarget) {
  const { client } = createClientDouble({
    'servers.describe': () => {
      throw new WorkbenchError('server-unreachable', refused);
    },
  });
  mounted = await mount(client, <MeasureDialog />, ({ overlay }) => {
    overlay.getState().measure(target);
    return Promise.resolve();
  });
  const view = mounted;
  const field = () => document.querySelector<HTMLInputElement>('input[data-autofocus]');
  const text = () => document.body.textContent;
  return { view, field, text };
}

it('says of its default address only quietly that nothing is there, until somebody asks', async () => {
  const { view, field, text } = await opened({});
  await expect.poll(text).toContain('No Triton responds at this address yet.');
  expect(text()).not.toContain(refused);
  expect(field()?.getAttribute('aria-invalid')).not.toBe('true');
  await view.click(view.button('Re-check'));
  // With what to do next.
  await expect.poll(text).toContain(`${refused} Check the address, and check that the server is running.`);
  expect(field()?.getAttribute('aria-invalid')).toBe('true');
});

it('forgets what another address answered, asks the new one by Enter, and says why it cannot measure', async () => {
  const asked: string[] = [];
  const { client } = createClientDouble({
    'servers.describe': (input) => {
      const { url } = input as { readonly url: string };
      asked.push(url);
      if (url !== 'localhost:8000') throw new WorkbenchError('server-unreachable', refused);
      const model = { name: 'echo', versions: ['1'], maxBatchSize: 4, dynamicInputs: [] };
      return Promise.resolve({ title: 'Triton 2.51.0', models: [model], listsModels: true, more: 0 });
    },
  });
  mounted = await mount(client, <MeasureDialog />, ({ overlay }) => {
    overlay.getState().measure({});
    return Promise.resolve();
  });
  const view = mounted;
  const text = () => document.body.textContent;
  const measure = () => view.button('Measure') as HTMLButtonElement;
  await expect.poll(text).toContain('Triton 2.51.0 · 1 model ready');
  expect(measure().disabled).toBe(false);
  const field = document.querySelector<HTMLInputElement>('input[data-autofocus]');
  if (field === null) throw new Error('no address');
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, 'localhost:9999');
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await Promise.resolve();
  });
  expect(text()).not.toContain('1 model ready');
  expect(text()).toContain('The address has changed. Check it first.');
  expect(measure().disabled).toBe(true);
  await act(async () => {
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    await Promise.resolve();
  });
  await expect.poll(text).toContain('No Triton responds at this address.');
  expect(asked).toEqual(['localhost:8000', 'localhost:9999']);
  expect(text()).toContain(refused);
});

it('says at once what is wrong with an address that was chosen', async () => {
  const { field, text } = await opened({ url: 'localhost:8000' });
  await expect.poll(text).toContain(refused);
  expect(field()?.getAttribute('aria-invalid')).toBe('true');
});

it('asks a server of OpenAI’s protocol for its models as soon as a request goes there', async () => {
  const asked: unknown[] = [];
  const { client } = createClientDouble({
    'servers.describe': (input) => {
      asked.push(input);
      const { openai = false } = input as { readonly openai?: boolean };
      const name = openai ? 'lm' : 'echo';
      const model = { name, versions: ['1'], maxBatchSize: 0, dynamicInputs: [] };
      const title = openai ? 'OpenAI server' : 'Triton 2.51.0';
      return Promise.resolve({ title, models: [model], listsModels: true, more: 0 });
    },
  });
  mounted = await mount(client, <MeasureDialog />, ({ overlay }) => {
    overlay.getState().measure({ url: 'localhost:9000' });
    return Promise.resolve();
  });
  const view = mounted;
  const text = () => document.body.textContent;
  await expect.poll(text).toContain('Triton 2.51.0 · 1 model ready');
  const chat = document.querySelector<HTMLInputElement>('input[type="radio"][value="chat"]');
  if (chat === null) throw new Error('no choice');
  await view.click(chat);
  await expect.poll(text).toContain('OpenAI server · 1 model ready');
  expect(text()).toContain('OpenAI server address');
  expect(text()).not.toContain('Protocol');
  expect(asked.at(-1)).toEqual({ url: 'localhost:9000', openai: true });
  expect(text()).toContain('needs prompts');
  expect((view.button('Measure') as HTMLButtonElement).disabled).toBe(true);
});
