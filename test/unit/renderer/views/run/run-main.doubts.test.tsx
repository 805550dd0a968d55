// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { toReport } from '../../../../../main/reports/to-report';
import { RunMain } from '../../../../../renderer/views/run/run-main';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';

it('the page has what is doubtful as the report has it, an uncertain p99 of few requests in amber, and ± in its tiles', async () => {
  const few = { requestCount: 102, p99Us: 55_790, p99IntervalUs: 42_700, inferencesPerSecond: 102.1 };
  const state = stateOf([
    ...createdBodies(),
    measurementBody('online', pointFixture({ ...few, throughputIntervalIps: 1 })),
    { type: 'run-finished', outcome: 'done' },
  ]);
  const main = <RunMain state={state} onOpenLog={() => undefined} />;
  const { page, unmount } = await mount(createClientDouble({}).client, main);
  const { doubts } = toReport(state, { generatedAt: '2025-11-21T08:00:00.000Z' }).summary;
  const list = page.querySelector('details[aria-label="What is doubtful"] ul');
  expect([...(list?.children ?? [])].map(({ textContent }) => textContent)).toEqual(doubts);
  const answer = page.querySelector('.answer[data-tone="warn"]');
  expect(answer?.textContent).toContain(
    'p99 55.79 ± 42.70 ms (online, batch size 1, concurrency 1; 102 requests in 999 ms)',
  );
  expect(answer?.textContent).toContain('p99 is uncertain: ± 77 %.p99 is based on only 102 requests');
  expect(page.querySelector('.figures')?.textContent).toContain('55.79 ± 42.70 ms');
  unmount();
});

it('says that other levels are kept only where there are others', async () => {
  const doubtful = { requestCount: 102, p99Us: 55_790, p99IntervalUs: 42_700, throughputIntervalIps: 1 };
  const slower = { concurrency: 2, inferencesPerSecond: 50, throughputIntervalIps: 1 };
  const answerOf = async (...points: readonly Parameters<typeof pointFixture>[0][]) => {
    const levels = points.map((point) => measurementBody('online', pointFixture(point)));
    const state = stateOf([...createdBodies(), ...levels, { type: 'run-finished', outcome: 'done' }]);
    const main = <RunMain state={state} onOpenLog={() => undefined} />;
    const { page, unmount } = await mount(createClientDouble({}).client, main);
    const text = page.querySelector('.answer')?.textContent;
    unmount();
    return text;
  };
  const only = await answerOf({ ...doubtful, inferencesPerSecond: 102.1 });
  expect(only).toContain('Measure 1 level again, longer');
  expect(only).toContain('of measuring. The old figures stay in the journal.');
  expect(await answerOf({ ...doubtful, inferencesPerSecond: 102.1 }, slower)).toContain(
    'of measuring. The other levels are kept; the old figures stay in the journal.',
  );
});
