// @vitest-environment jsdom
import { Notifications } from '@mantine/notifications';
import { act } from 'react';
import { expect, it } from 'vitest';
import { useRunNotices } from '../../../../renderer/components/use-run-notices';
import { createClientDouble } from '../client-double';
import { mount } from '../mounted';
import { runList } from '../window-fixtures';

function Noticing() {
  useRunNotices();
  return <Notifications />;
}

it('says how many runs the retention moved to the trash, and Undo brings all of them back', async () => {
  const { client, calls, tell } = createClientDouble({
    'runs.restore': () => null,
    'runs.list': () => runList(),
  });
  const mounted = await mount(client, <Noticing />);
  await act(async () => {
    tell({ type: 'runs-retired', runIds: ['a', 'b'] });
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
