// @vitest-environment jsdom
import { notifications, notificationsStore } from '@mantine/notifications';
import { act } from 'react';
import { beforeEach, expect, it } from 'vitest';
import { noticeSaved } from '../../../../renderer/components/action-message';
import { createClientDouble } from '../client-double';
import { mount } from '../mounted';

beforeEach(() => {
  notifications.clean();
});
const notices = () => notificationsStore.getState().notifications;

it('offers to open what was saved, and its folder', async () => {
  const { client, calls } = createClientDouble({ 'desktop.openSaved': () => null });
  noticeSaved(client, { path: '/tmp/report.pdf' });
  const { page, unmount } = await mount(client, <>{notices()[0]?.message}</>);
  expect(page.textContent).toContain('/tmp/report.pdf');
  for (const button of page.querySelectorAll('button')) {
    await act(() => {
      button.click();
      return Promise.resolve();
    });
  }
  expect(calls).toEqual([
    ['desktop.openSaved', { path: '/tmp/report.pdf', how: 'file' }],
    ['desktop.openSaved', { path: '/tmp/report.pdf', how: 'folder' }],
  ]);
  unmount();
});

it('says nothing where no place was chosen', () => {
  noticeSaved(createClientDouble({}).client, null);
  expect(notices()).toEqual([]);
});
