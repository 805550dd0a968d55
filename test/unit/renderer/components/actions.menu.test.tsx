// @vitest-environment jsdom
import { IconDownload } from '@tabler/icons-react';
import { expect, it } from 'vitest';
import { ActionMenu, IconButton, MenuAction } from '../../../../renderer/components/actions';
import { createClientDouble } from '../client-double';
import { mount } from '../mounted';

it('a button with a text on hover says that it opens a menu, and whether it is open', async () => {
  const { button, click, unmount } = await mount(
    createClientDouble({}).client,
    <ActionMenu button={<IconButton icon={IconDownload} label="Save chart" />}>
      <MenuAction>CSV</MenuAction>
    </ActionMenu>,
  );
  const said = () =>
    ['aria-haspopup', 'aria-expanded'].map((name) => button('Save chart').getAttribute(name));
  expect(said()).toEqual(['menu', 'false']);
  await click(button('Save chart'));
  expect(said()).toEqual(['menu', 'true']);
  expect(button('CSV').getAttribute('role')).toBe('menuitem');
  const children = document.querySelector('[role="menu"]')?.children ?? [];
  expect(
    [...children].map((child) => child.getAttribute('role')),
    'children of the menu',
  ).toEqual(['menuitem']);
  unmount();
});
