// @vitest-environment jsdom
import { afterEach, expect, it } from 'vitest';
import type { RunState } from '../../../../../main/contract/run/run-state';
import { OriginNotice } from '../../../../../renderer/views/run/notices';
import { WorkButtons } from '../../../../../renderer/views/run/run-actions';
import { runCreated } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

let mounted: Mounted | null = null;
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

const show = async (state: RunState, client = createClientDouble({})) => {
  const both = (
    <>
      <OriginNotice state={state} />
      <WorkButtons state={state} />
    </>
  );
  mounted = await mount(client.client, both);
  return [...mounted.page.querySelectorAll('button')];
};

it('the page of a run from elsewhere offers trust in place of resuming', async () => {
  const client = createClientDouble({ 'runs.trust': () => null, 'runs.resume': () => null });
  const buttons = await show({ ...runCreated(), origin: 'foreign' }, client);
  expect(buttons.map((button) => button.textContent)).toEqual(['Trust and continue…']);
  expect(mounted?.page.textContent).toContain('not created in this workbench home');
  buttons[0]?.click();
  await expect.poll(() => client.calls.map(([name]) => name)).toContain('runs.resume');
  expect(client.calls.map(([name]) => name).slice(0, 2)).toEqual(['runs.trust', 'runs.resume']);
});

it.each(['own', 'trusted'] as const)('the page of a run that is %s offers to resume', async (origin) => {
  const buttons = await show({ ...runCreated(), origin });
  expect(buttons.map((button) => button.textContent)).toEqual(['Resume']);
  expect(mounted?.page.querySelectorAll('[role="status"]').length).toBe(origin === 'own' ? 0 : 1);
});
