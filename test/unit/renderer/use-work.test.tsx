// @vitest-environment jsdom
import { Button } from '@mantine/core';
import { notificationsStore } from '@mantine/notifications';
import { expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { useWork } from '../../../renderer/use-work';
import { createClientDouble } from './client-double';
import { mount } from './mounted';

it('is busy until the work ends, and tells why it failed', async () => {
  let fail: (error: Error) => void = () => undefined;
  function Working() {
    const [busy, working] = useWork();
    const work = () =>
      new Promise<void>((_resolve, reject) => {
        fail = reject;
      });
    return <Button onClick={working(work)}>{busy ? 'Busy' : 'Go'}</Button>;
  }
  const mounted = await mount(createClientDouble({}).client, <Working />);
  await mounted.click(mounted.button('Go'));
  const busy = mounted.button('Busy');
  fail(new WorkbenchError('input-invalid', 'The folder is not empty'));
  await mounted.click(busy.parentElement ?? busy);
  expect(mounted.page.querySelector('button')?.textContent).toBe('Go');
  expect(notificationsStore.getState().notifications[0]?.message).toContain('The folder is not empty');
  mounted.unmount();
});
