// @vitest-environment jsdom
import { afterEach, expect, it } from 'vitest';
import { RerunQuestion } from '../../../../../renderer/views/run/rerun-question';
import { completeState } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

let mounted: Mounted | null = null;
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

it('a rerun says, as the core does, which steps and how many levels are done again', async () => {
  const { client, calls } = createClientDouble({ 'runs.planRerun': () => ['online', 'report'] });
  const state = completeState();
  mounted = await mount(client, <RerunQuestion state={state} step="online" onDone={() => undefined} />);
  const { page } = mounted;
  await expect.poll(() => page.textContent).toContain('Steps to run again: Measure online, Write report.');
  const { length } = state.scenarios.online.points;
  expect(page.textContent).toContain(`${length} measured level`);
  expect(calls).toEqual([['runs.planRerun', { runId: state.runId, step: 'online' }]]);
});
