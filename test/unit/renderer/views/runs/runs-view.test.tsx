// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { useStore } from 'zustand';
import type { RunSummary } from '../../../../../main/contract/api';
import { StatusBar } from '../../../../../renderer/components/status-bar';
import { createSeenFailures, unseenFailures } from '../../../../../renderer/stores/seen-failures';
import { runDistinctions } from '../../../../../renderer/views/runs/run-distinctions';
import { RunsView } from '../../../../../renderer/views/runs/runs-view';
import { useWorkbench } from '../../../../../renderer/workbench';
import { createClientDouble, createStorage } from '../../client-double';
import { mount, type Mounted } from '../../mounted';
import { runList, runSummary } from '../../window-fixtures';

/** As the window shows the list: only on its page. */
function RunsPage() {
  const { route } = useWorkbench();
  return useStore(route, (state) => state.route.page) === 'runs' ? <RunsView /> : null;
}

const mounted: Mounted[] = [];
afterEach(() => {
  for (const one of mounted.splice(0)) one.unmount();
});

describe('runs of one model', () => {
  it('are told apart by what differs, and by the time where nothing else does', () => {
    const runs = [
      runSummary({ runId: 'a', precision: 'fp32' }),
      runSummary({ runId: 'b', engine: 'docker' }),
      runSummary({ runId: 'c', createdAt: '2025-11-21T09:00:00.000Z' }),
      runSummary({ runId: 'd', createdAt: '2025-11-21T10:30:00.000Z' }),
      runSummary({ runId: 'e', preset: 'other' }),
    ];
    const texts = runDistinctions(runs);
    expect(texts.get('a')).toBe('fp32 local');
    expect(texts.get('b')).toBe('fp16 docker');
    expect(texts.get('c')).toMatch(/^fp16 local .*:00$/);
    expect(texts.get('d')).toMatch(/^fp16 local .*:30$/);
    expect(texts.get('e')).toBe('');
    expect(new Set(texts.values()).size).toBe(5);
  });
});

describe('failed runs in the status bar', () => {
  const failed = (runId: string): RunSummary => runSummary({ runId, status: 'failed' });
  const all = [failed('a'), runSummary({ runId: 'b', status: 'gate-failed' }), runSummary({ runId: 'c' })];

  it('open the list narrowed to them, and are counted no more once they have been seen', async () => {
    const { client } = createClientDouble({ 'runs.list': () => runList(...all) });
    const view = await mount(
      client,
      <>
        <StatusBar />
        <RunsPage />
      </>,
      async ({ runs, route }) => {
        await runs.getState().load();
        route.getState().go({ page: 'environment' });
      },
    );
    mounted.push(view);
    await view.click(view.button('2 failed'));
    expect(view.workbench.route.getState().route).toEqual({ page: 'runs' });
    expect(view.workbench.runFilter.getState().chosen).toEqual({ status: ['failed', 'gate-failed'] });
    act(() => {
      view.workbench.route.getState().go({ page: 'environment' });
    });
    expect(view.page.textContent).not.toContain('2 failed');
  });

  it('count again when they fail again', () => {
    const storage = createStorage();
    const seen = createSeenFailures(storage);
    seen.getState().see(all, all);
    expect(unseenFailures(all, createSeenFailures(storage).getState().runIds)).toEqual([]);
    const resumed = [runSummary({ runId: 'a', status: 'running' })];
    seen.getState().see([], resumed);
    expect(unseenFailures([failed('a')], seen.getState().runIds).map(({ runId }) => runId)).toEqual(['a']);
  });
});

describe('a list that is not whole yet', () => {
  const lists = [
    { runs: [runSummary({ runId: 'a' }), runSummary({ runId: 'b' })], outdated: ['b'], missing: 3 },
    runList(...['a', 'b', 'c', 'd', 'e'].map((runId) => runSummary({ runId }))),
  ];

  it('says what is missing and which rows another version made, until it is', async () => {
    const { client } = createClientDouble({ 'runs.list': () => lists.shift() });
    const view = await mount(client, <RunsView />, ({ runs }) => runs.getState().load());
    mounted.push(view);
    const outdated = () =>
      [...view.page.querySelectorAll<HTMLElement>('tr[data-outdated]')].map((row) => row.dataset['run']);
    expect(view.page.textContent).toContain('2 of 5 · reading 3 more · updating 1');
    expect(outdated()).toEqual(['b']);
    await act(() => view.workbench.runs.getState().load());
    expect(view.page.textContent).not.toMatch(/reading|updating/);
    expect(outdated()).toEqual([]);
  });

  it('without any row is not an empty one', async () => {
    const { client } = createClientDouble({ 'runs.list': () => ({ ...runList(), missing: 1 }) });
    const view = await mount(client, <RunsView />, ({ runs }) => runs.getState().load());
    mounted.push(view);
    expect(view.page.querySelector('[role="status"]')?.textContent).toBe('Reading the runs');
  });

  it('forgets no failure that was seen', () => {
    const storage = createStorage();
    const failed = runSummary({ runId: 'a', status: 'failed' });
    createSeenFailures(storage).getState().see([failed], [failed]);
    createSeenFailures(storage).getState().see([], []);
    expect(unseenFailures([failed], createSeenFailures(storage).getState().runIds)).toEqual([]);
  });
});

describe('tags and note', () => {
  it('are written below the row that they are of, in fields with labels', async () => {
    const { client } = createClientDouble({ 'runs.list': () => runList(runSummary()) });
    const view = await mount(client, <RunsView />, ({ runs }) => runs.getState().load());
    mounted.push(view);
    await view.click(view.button('Actions of resnet50'));
    const item = [...document.querySelectorAll('[role="menuitem"]')].find(
      (one) => one.textContent === 'Edit tags and note',
    );
    if (item === undefined) throw new Error('no item');
    await view.click(item);
    const rows = [...view.page.querySelectorAll('tbody tr')];
    expect(rows.map((row) => row.className)).toEqual(['', 'edited']);
    expect(rows[0]?.textContent).toContain('resnet50');
    const labels = [...(rows[1]?.querySelectorAll('label') ?? [])].map((label) => label.textContent);
    expect(labels).toEqual(['Tags', 'Note']);
  });
});
