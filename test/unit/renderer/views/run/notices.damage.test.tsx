// @vitest-environment jsdom
import { afterEach, expect, it } from 'vitest';
import type { RunState } from '../../../../../main/contract/run/run-state';
import { RunMain } from '../../../../../renderer/views/run/run-main';
import { runCreated } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';
import { mount, type Mounted } from '../../mounted';

let mounted: Mounted | null = null;
afterEach(() => {
  mounted?.unmount();
  mounted = null;
});

async function notices(state: RunState): Promise<string> {
  mounted = await mount(createClientDouble({}).client, <RunMain state={state} onOpenLog={() => undefined} />);
  return [...mounted.page.querySelectorAll('[role="status"]')].map((one) => one.textContent).join('\n');
}

it('the page of a run names the damaged lines of its journal and what may be missing', async () => {
  const text = await notices({ ...runCreated(), damagedLines: [7] });
  expect(text).toContain('Line 7 of journal.jsonl is damaged.');
  expect(text).toContain('may be missing');
});

it('the page of a run with a whole journal has no such notice', async () => {
  expect(await notices(runCreated())).not.toContain('journal.jsonl');
});
