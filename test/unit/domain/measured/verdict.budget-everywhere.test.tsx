// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { runDocument } from '../../../../main/cli/json/run-document';
import type { RunState } from '../../../../main/contract/run/run-state';
import type { Core } from '../../../../main/core';
import { answerOf } from '../../../../main/domain/measured/answer';
import { loadCsv } from '../../../../main/reports/csv';
import { html } from '../../../../main/reports/html.exporter';
import { json } from '../../../../main/reports/json.exporter';
import { toReport } from '../../../../main/reports/to-report';
import { RunMain } from '../../../../renderer/views/run/run-main';
import { said } from '../../../support/cli-program';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../support/run-state';
import { withoutMarks } from '../../../support/unbroken';
import { createClientDouble } from '../../renderer/client-double';
import { mount } from '../../renderer/mounted';

const sentence =
  'Best steady level within 20 ms: 300.0 inferences/s at p99 13.00 ± 1.00 ms (headroom 35 %; offline, batch size 2, concurrency 1; 3,000 requests in 20.0 s)';

const state = stateOf([
  ...createdBodies(),
  { type: 'p99-budget', p99BudgetMs: 20 },
  measurementBody('offline', pointFixture({ batchSize: 1, inferencesPerSecond: 200, p99Us: 6000 })),
  measurementBody(
    'offline',
    pointFixture({
      ...{ batchSize: 2, inferencesPerSecond: 300, requestCount: 3000 },
      ...{ p99Us: 13_000, p99IntervalUs: 1000 },
    }),
  ),
  measurementBody('offline', pointFixture({ batchSize: 4, inferencesPerSecond: 900, p99Us: 30_000 })),
  { type: 'run-finished', outcome: 'done' },
]);

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

it('the window, the command line, HTML and PDF, CSV and JSON have the same sentence, with the headroom', async () => {
  expect(answerOf(state)).toMatchObject({ text: `${sentence}.`, isSure: true });

  const { client } = createClientDouble({});
  const mounted = await mount(client, <RunMain state={state} onOpenLog={() => undefined} />);
  const answer = mounted.page.querySelector('.answer');
  expect(answer?.querySelector('.answer-text')?.textContent).toBe(`${sentence}; accuracy not checked.`);
  expect(answer?.getAttribute('data-tone')).toBe('good');
  mounted.unmount();

  expect(await shown(state)).toContain(sentence);

  const report = toReport(state, { generatedAt: '2025-11-21T08:00:00.000Z' });
  const page = html.render({ state, report });
  // The PDF is printed from this page.
  expect(withoutMarks(page.content)).toContain(sentence);

  const [offline] = report.scenarios;
  expect(offline === undefined ? '' : loadCsv(offline, report.verification)).toContain(sentence);

  const file = json.render({ state, report });
  expect(JSON.parse(file.content)).toMatchObject({ budget: { text: `${sentence}.`, headroom: 0.35 } });
  expect(runDocument(state, '/runs/a').budget).toMatchObject({ text: `${sentence}.`, headroom: 0.35 });
});
