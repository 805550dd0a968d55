// @vitest-environment jsdom
import { notifications, notificationsStore } from '@mantine/notifications';
import { beforeEach, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import { leaveErrors, noticeDone, noticeError } from '../../../../renderer/components/notices';

beforeEach(() => {
  notifications.clean();
});
const titles = (): number => notificationsStore.getState().notifications.length;

it('takes the errors of the page that is left away, and nothing else', () => {
  noticeError(new WorkbenchError('input-invalid', 'The folder is not empty'));
  noticeDone('Saved', '/tmp/report.md');
  leaveErrors(Date.now() + 60_000);
  expect(titles()).toBe(1);
  expect(notificationsStore.getState().notifications[0]?.title).toBe('Saved');
});

it('keeps an error that came with the change of page', () => {
  noticeError(new WorkbenchError('input-invalid', 'The folder is not empty'));
  leaveErrors(Date.now());
  expect(titles()).toBe(1);
});
