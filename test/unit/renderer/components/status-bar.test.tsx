// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import type { StudySummary } from '../../../../main/contract/study/study';
import { StatusBar } from '../../../../renderer/components/status-bar';
import { createClientDouble } from '../client-double';
import { mount, type Mounted } from '../mounted';
import { runList, runSummary } from '../window-fixtures';

const study = (change: Partial<StudySummary> = {}): StudySummary => ({
  ...{ name: 'night', state: 'running', interrupted: false, error: null, isKept: true },
  ...{ createdAt: '', updatedAt: '', sentence: '', runs: 4, complete: 1, currentRun: 2 },
  ...change,
});
const ofStudy = runSummary({
  runId: 'a',
  status: 'running',
  matrix: { name: 'night', entry: 'ab'.repeat(32) },
});

let studies: readonly StudySummary[] = [];
let runs = runList();
const { client } = createClientDouble({ 'studies.list': () => studies, 'runs.list': () => runs });
let mounted: Mounted;
const items = () => [...mounted.page.querySelectorAll('.status-bar-item')].map((item) => item.textContent);
const show = async () => {
  mounted = await mount(client, <StatusBar />, ({ runs: list }) => list.getState().load());
  await act(async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  });
};
const reload = () =>
  act(async () => {
    await mounted.workbench.runs.getState().load();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  });
afterEach(() => {
  mounted.unmount();
  studies = [];
  runs = runList();
});

it('says that nothing is in progress only where no study is', async () => {
  await show();
  expect(items()).toEqual(['No run in progress']);
});

it('names the study between two of its runs, which is a click away', async () => {
  studies = [study({ name: 'old', state: 'done' }), study()];
  await show();
  expect(items()).toEqual(['Study night: run 2 of 4']);
  const [item] = mounted.page.querySelectorAll('.status-bar-item');
  if (item === undefined) throw new Error('The status bar is empty');
  await mounted.click(item);
  expect(mounted.workbench.route.getState().route).toEqual({ page: 'studies', name: 'night' });
});

it('asks for studies once the rows of all runs are there', async () => {
  studies = [study()];
  runs = { ...runList(), missing: 1 };
  await show();
  expect(items()).toEqual(['No run in progress']);
  runs = { ...runList(), outdated: ['a'] };
  await reload();
  expect(items()).toEqual(['No run in progress']);
  runs = runList();
  await reload();
  expect(items()).toEqual(['Study night: run 2 of 4']);
});

it('has the run beside its study while it runs, and sees a study that another process began', async () => {
  await show();
  studies = [study()];
  runs = runList(ofStudy);
  await reload();
  expect(items()).toEqual(['Study night: run 2 of 4', '1 running']);
});

it('counts several, and says no number of a study that measures by itself', async () => {
  const { currentRun, ...search } = study({ name: 'search' });
  studies = [search];
  await show();
  expect([items(), currentRun]).toEqual([['Study search in progress'], 2]);
  mounted.unmount();
  studies = [search, study()];
  await show();
  expect(items()).toEqual(['2 studies in progress']);
});
