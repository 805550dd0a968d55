// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { runDocument } from '../../../../../main/cli/json/run-document';
import type { RunState } from '../../../../../main/contract/run/run-state';
import type { Core } from '../../../../../main/core';
import { limitsText } from '../../../../../main/domain/measured/limits/limits';
import { html } from '../../../../../main/reports/html.exporter';
import { json } from '../../../../../main/reports/json.exporter';
import { markdown } from '../../../../../main/reports/markdown.exporter';
import { toReport } from '../../../../../main/reports/to-report';
import { RunMain } from '../../../../../renderer/views/run/run-main';
import { said } from '../../../../support/cli-program';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  runCreated,
  specFixture,
  stateOf,
} from '../../../../support/run-state';
import { withoutMarks } from '../../../../support/unbroken';
import { createClientDouble } from '../../../renderer/client-double';
import { mount } from '../../../renderer/mounted';

const spec = specFixture(({ configure }) => {
  configure.batching = 'disabled';
});
const state = stateOf([
  ...createdBodies(spec),
  measurementBody('online', pointFixture({ concurrency: 16, serverQueueUs: 40_000, avgUs: 50_000 })),
  { type: 'run-finished', outcome: 'done' },
]);

const sentence = 'The queue limits this level: requests wait 80 % of the mean latency for a free instance.';
const advice = 'Use dynamic batching (now disabled).';

/** What `show` prints of the run. */
async function shown(of: RunState): Promise<string> {
  const core = {
    handlers: {
      'runs.ids': () => Promise.resolve([of.runId]),
      'runs.show': () => Promise.resolve({ state: of, dir: '/runs/a' }),
    },
  } as unknown as Core;
  return (await said(core, 'show', of.runId)).text;
}

it('the window, the command line and the reports say the same limit, its numbers and what to try', async () => {
  expect(limitsText(state)?.sentence).toBe(sentence);

  const { client } = createClientDouble({});
  const mounted = await mount(client, <RunMain state={state} onOpenLog={() => undefined} />);
  const panel = mounted.page.querySelector('[aria-label="What limits it"]');
  expect(panel?.querySelector('.panel-body')?.firstChild?.textContent).toBe(sentence);
  const folded = panel?.querySelector('details');
  expect(folded?.open).toBe(false);
  for (const text of ['Server queue: 40.00 ms', advice]) expect(folded?.textContent).toContain(text);
  mounted.unmount();

  const report = toReport(state, { generatedAt: '2025-11-21T08:00:00.000Z' });
  const texts = [
    withoutMarks(html.render({ state, report }).content),
    markdown.render({ state, report }).content,
  ];
  for (const text of texts) {
    for (const part of ['What limits it', sentence, 'Server queue: 40.00 ms', 'Use dynamic batching']) {
      expect(text).toContain(part);
    }
  }
  const short = await shown(state);
  for (const part of ['What limits it', sentence, 'Server queue: 40.00 ms']) expect(short).toContain(part);
  // To predict what a change brings takes longer than to read a run.
  expect(short).not.toContain(advice);
  expect(short).toContain(`triton-workbench limits ${state.runId}`);

  const { limits } = runDocument(state, '/runs/a');
  expect(limits?.limits[0]).toMatchObject({ kind: 'queue', sentence });
  expect(limits?.suggestions[0]).toMatchObject({ text: advice, predicted: null });
  expect(JSON.parse(json.render({ state, report }).content)).toMatchObject({ limits: { concurrency: 16 } });
});

it('nothing is said of a run without a measured level', async () => {
  const empty = runCreated();
  expect(limitsText(empty)).toBeNull();
  expect(await shown(empty)).not.toContain('limits');
  const report = toReport(empty, { generatedAt: '2025-11-21T08:00:00.000Z' });
  expect(html.render({ state: empty, report }).content).not.toContain('What limits it');
});
