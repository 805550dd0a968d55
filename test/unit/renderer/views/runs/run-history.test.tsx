// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { RunHistory } from '../../../../../renderer/views/runs/run-history';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';
import { runList, runSummary } from '../../window-fixtures';

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
