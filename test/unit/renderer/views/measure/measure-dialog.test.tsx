// @vitest-environment jsdom
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
    'servers.look': () => {
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
  await expect.poll(text).toContain(refused);
  expect(field()?.getAttribute('aria-invalid')).toBe('true');
});

it('says at once what is wrong with an address that was chosen', async () => {
  const { field, text } = await opened({ url: 'localhost:8000' });
  await expect.poll(text).toContain(refused);
  expect(field()?.getAttribute('aria-invalid')).toBe('true');
});
