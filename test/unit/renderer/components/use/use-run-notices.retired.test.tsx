// @vitest-environment jsdom
import { Notifications, notifications } from '@mantine/notifications';
import { act } from 'react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../main/contract/errors';
import { useRunNotices } from '../../../../../renderer/components/use/use-run-notices';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';
import { runList } from '../../window-fixtures';

// Of other tests in the same process, and for them.
const noNotices = () => {
  notifications.clean();
  notifications.cleanQueue();
};
beforeEach(noNotices);
afterEach(noNotices);

function Noticing() {
  useRunNotices();
  return <Notifications />;
}

it('says how many runs the retention moved to the trash, and Undo brings all of them back', async () => {
  const { client, calls, emit } = createClientDouble({
    'runs.restore': () => null,
    'runs.list': () => runList(),
  });
  const mounted = await mount(client, <Noticing />);
  await act(async () => {
    emit({ type: 'runs-retired', runIds: ['a', 'b'] });
    await Promise.resolve();
  });
  expect(document.body.textContent).toContain('2 runs moved to the trash');
  await mounted.click(mounted.button('Undo'));
  expect(calls.filter(([name]) => name === 'runs.restore').map(([, input]) => input)).toEqual([
    { runId: 'a' },
    { runId: 'b' },
  ]);
  expect(calls.at(-1)?.[0]).toBe('runs.list');
  mounted.unmount();
});

it('a run that is refused keeps none of the others in the trash', async () => {
  const { client, calls, emit } = createClientDouble({
    'runs.restore': (input) => {
      if ((input as { runId: string }).runId === 'a') throw new WorkbenchError('run-unknown', 'a is gone');
      return null;
    },
    'runs.list': () => runList(),
  });
  const mounted = await mount(client, <Noticing />);
  await act(async () => {
    emit({ type: 'runs-retired', runIds: ['a', 'b'] });
    await Promise.resolve();
  });
  await mounted.click(mounted.button('Undo'));
  expect(calls.map(([name, input]) => [name, input])).toEqual([
    ['runs.restore', { runId: 'a' }],
    ['runs.restore', { runId: 'b' }],
    ['runs.list', undefined],
  ]);
  expect(document.body.textContent).toContain('a is gone.');
  mounted.unmount();
});
