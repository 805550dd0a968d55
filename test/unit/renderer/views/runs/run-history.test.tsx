// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { RunHistory } from '../../../../../renderer/views/runs/run-history';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';
import { runList, runSummary } from '../../window-fixtures';
import '../../no-plotly';

it('calls the runs of a model by their names, and all by their times', async () => {
  const at = (minute: number) => `2025-11-21T09:${minute}:00.000Z`;
  const runs = [
    runSummary({ runId: 'c', name: 'after the driver', createdAt: at(30) }),
    runSummary({ runId: 'b', name: 'before it', createdAt: at(20) }),
    runSummary({ runId: 'a', createdAt: at(10) }),
  ];
  const { client } = createClientDouble({ 'runs.list': () => runList(...runs) });
  const mounted = await mount(client, <RunHistory runId="b" />, async (workbench) => {
    await workbench.runs.getState().load();
  });
  const cells = [...mounted.page.querySelectorAll('tbody td:first-child')].map((cell) => cell.textContent);
  expect(cells).toEqual([
    expect.stringMatching(/^after the driver, .*:30$/),
    expect.stringMatching(/^before it, .*:20 \(this run\)$/),
    expect.stringMatching(/^[^,]*, [^,]*:10$/),
  ]);
  mounted.unmount();
});

const at = (day: number) => `2025-11-${day}T09:00:00.000Z`;
const level = (inferencesPerSecond: number) => {
  const one = { inferencesPerSecond, intervalIps: 10, p99Us: 9000, p99IntervalUs: 100, steady: true };
  return { best: one, chosen: one };
};

async function changesShown(runs: readonly ReturnType<typeof runSummary>[]) {
  const { client } = createClientDouble({ 'runs.list': () => runList(...runs) });
  const mounted = await mount(client, <RunHistory runId="b" />, async (workbench) => {
    await workbench.runs.getState().load();
  });
  const list = mounted.page.querySelector('[aria-label="Changes larger than the noise"]');
  const lines = [...(list?.children ?? [])].map(({ textContent }) => textContent);
  const charts = [...mounted.page.querySelectorAll('[data-chart]')].map((chart) =>
    chart.getAttribute('data-chart'),
  );
  mounted.unmount();
  return { lines, charts };
}

it('draws throughput and p99 by time, and names the change that is larger than the noise with its run', async () => {
  const { lines, charts } = await changesShown([
    runSummary({ runId: 'c', name: 'new driver', createdAt: at(23), ...level(1500) }),
    runSummary({ runId: 'b', createdAt: at(22), ...level(1003) }),
    runSummary({ runId: 'a', createdAt: at(21), ...level(1000) }),
  ]);
  expect(charts).toEqual(['history-throughput', 'history-p99']);
  expect(lines).toEqual([
    expect.stringMatching(
      /^new driver, .*: Throughput \+50 %: 1,002 inferences\/s before, 1,500 inferences\/s since$/,
    ),
  ]);
});

it('says where no change is larger than the noise, and draws nothing of fewer than two results', async () => {
  const first = runSummary({ runId: 'a', createdAt: at(21), ...level(1000) });
  const same = await changesShown([first, runSummary({ runId: 'b', createdAt: at(22), ...level(1005) })]);
  expect(same.lines).toEqual(['No change between these runs is larger than the noise.']);
  const none = { best: null, chosen: null };
  const one = await changesShown([first, runSummary({ runId: 'b', createdAt: at(22), ...none })]);
  expect(one).toEqual({ lines: [], charts: [] });
});
