// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../main/contract/errors';
import { SettingRow } from '../../../../../renderer/views/settings/setting-control';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

let shown: Mounted;
afterEach(() => {
  shown.unmount();
});

const input = (): HTMLInputElement => {
  const found = shown.page.querySelector('input');
  if (found === null) throw new Error('no input');
  return found;
};
const type = (text: string): void => {
  act(() => {
    // React hears a change of the value only where it was not set by the element's own setter.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input(), text);
    input().dispatchEvent(new Event('input', { bubbles: true }));
  });
};
const press = (key: string): Promise<void> =>
  act(async () => {
    input().dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  });

/** A field whose text was refused. */
async function refused(): Promise<void> {
  const { client } = createClientDouble({
    'settings.set': () => {
      throw new WorkbenchError('input-invalid', 'p99 budget must be above 0');
    },
  });
  shown = await mount(client, <SettingRow id="deployment.p99BudgetMs" value={20} />);
  type('-1');
  await press('Enter');
  expect(shown.page.textContent).toContain('p99 budget must be above 0');
}

it('takes the error away with the text that was typed back', async () => {
  await refused();
  type('20');
  await press('Enter');
  expect(shown.page.textContent).not.toContain('must be above 0');
});

it('takes the error away with Escape', async () => {
  await refused();
  await press('Escape');
  expect(input().value).toBe('20');
  expect(shown.page.textContent).not.toContain('must be above 0');
});
