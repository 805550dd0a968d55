// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSeenVersion } from '../../../../../renderer/stores/seen-version';
import { WhatsNew } from '../../../../../renderer/views/help/whats-new';
import { createClientDouble, createStorage } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

const text = '# Changelog\n\n## 0.3.0\n\n- Three\n\n## 0.2.0\n\n- Two\n\n## 0.1.0\n\n- One\n';
const { client } = createClientDouble({
  'app.info': () => ({ version: '0.3.0', home: '/home', homeFixed: false, electron: null }),
  'support.documents': () => [{ id: 'about/changelog', group: 'Reference', title: 'Changelog', text }],
});

let mounted: Mounted | null = null;
let storage = createStorage();
beforeEach(() => {
  storage = createStorage();
});
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

/** @param before the version that the window ran last, if any */
async function start(before: string | null): Promise<Mounted> {
  if (before !== null) createSeenVersion(storage).note(before);
  mounted = await mount(client, <WhatsNew />, ({ app }) => app.getState().load(), storage);
  return mounted;
}
const isOpen = ({ workbench }: Mounted): boolean => workbench.overlay.getState().shown === 'whats-new';

it('opens once after the version changed, with the versions in between, and closes', async () => {
  const window = await start('0.1.0');
  expect(isOpen(window)).toBe(true);
  const shown = document.body.textContent;
  expect(shown).toContain('What’s new in 0.3.0');
  expect(shown).toContain('Two');
  expect(shown).not.toContain('One');
  await window.click(window.button('Close'));
  expect(isOpen(window)).toBe(false);
  expect(createSeenVersion(storage).before).toBe('0.3.0');
});

it.each([null, '0.3.0'])('stays closed where the window ran %s last', async (before) => {
  expect(isOpen(await start(before))).toBe(false);
});
