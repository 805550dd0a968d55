// @vitest-environment jsdom
import { Notifications, notifications } from '@mantine/notifications';
import { act } from 'react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { useRunNotices } from '../../../../../renderer/components/use/use-run-notices';
import type { Route } from '../../../../../renderer/stores/route';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';
import { runList, runSummary } from '../../window-fixtures';

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

const ofStudy = runSummary({ runId: 'trial', matrix: { name: 'night', entry: 'e'.repeat(64) } });

async function noticesAt(route: Route): Promise<string> {
  const { client, emit } = createClientDouble({ 'runs.list': () => runList(ofStudy, runSummary()) });
  const mounted = await mount(client, <Noticing />);
  const { workbench } = mounted;
  await act(async () => {
    await workbench.runs.getState().load();
    workbench.route.getState().go(route);
    for (const runId of ['trial', 'a']) {
      const entry = {
        type: 'run-finished',
        outcome: 'done',
        seq: 9,
        at: '2025-11-21T08:10:00.000Z',
      } as const;
      emit({ type: 'journal', runId, entry });
    }
  });
  const text = document.body.textContent;
  mounted.unmount();
  return text;
}

const count = (text: string): number => text.split('Run ended: done').length - 1;

it('says on other pages that a run has ended, also one of a study', async () => {
  expect(count(await noticesAt({ page: 'monitor' }))).toBe(2);
});

it('says it of no run of a study on the page that shows the study', async () => {
  expect(count(await noticesAt({ page: 'studies' }))).toBe(1);
});
