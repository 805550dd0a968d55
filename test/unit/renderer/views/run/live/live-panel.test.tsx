// @vitest-environment jsdom
import { act } from 'react';
import { expect, it } from 'vitest';
import type { WindowEvent } from '../../../../../../main/contract/api';
import type { JournalBody } from '../../../../../../main/contract/run/run-events';
import type { RunState } from '../../../../../../main/contract/run/run-state';
import { pastRunOf } from '../../../../../../main/domain/run/past-runs';
import { RunMain } from '../../../../../../renderer/views/run/run-main';
import {
  completeBodies,
  createdBodies,
  measurementBody,
  pointFixture,
  stateOf,
} from '../../../../../support/run-state';
import { createClientDouble } from '../../../client-double';
import { mount } from '../../../mounted';

const past = [pastRunOf(stateOf([...completeBodies(), ...ended('report')]), 'choice')];

function ended(step: 'report'): JournalBody[] {
  return [{ type: 'step-finished', step, key: 'k', durationUs: 2e6, facts: [], warnings: [] }];
}

async function shown(bodies: readonly JournalBody[], events: readonly WindowEvent[] = [], known = past) {
  const state: RunState = stateOf([...createdBodies(), ...bodies]);
  const { client } = createClientDouble({ 'runs.get': () => state, 'runs.past': () => known });
  const main = <RunMain state={state} onOpenLog={() => undefined} />;
  const mounted = await mount(client, main, async ({ run }) => {
    await run.getState().open(state.runId);
    for (const event of events) run.getState().onEvent(event);
  });
  await act(async () => Promise.resolve());
  return { ...mounted, now: mounted.page.querySelector('section[aria-label="Now"]') };
}

const { runId } = stateOf(createdBodies());
const exporting: JournalBody = { type: 'step-started', step: 'export', attempt: 1, key: 'k' };
const measuring: JournalBody = { type: 'step-started', step: 'offline', attempt: 1, key: 'k' };

it('before the first figure the page has the step in its own words, the time left and what is to come', async () => {
  const epoch = { type: 'progress', runId, step: 'export', fraction: 0.5, text: 'Epoch 4 of 8' } as const;
  const { page, now, unmount } = await shown([exporting], [epoch]);
  expect(now?.querySelector('h2')?.textContent).toBe('Export model');
  expect(now?.textContent).toContain('Epoch 4 of 8');
  expect(now?.textContent).toMatch(/about .* left/);
  expect(now?.textContent).toContain('The whole run ends at about');
  expect(page.querySelector('section[aria-label="What this run does"]')?.textContent).toContain('7 levels');
  const sweep = [...page.querySelectorAll('.steps-table tr')].find((row) =>
    row.textContent.startsWith('Measure offline'),
  );
  expect(sweep?.lastElementChild?.textContent).toMatch(/^about \d+ (s|min)$/);
  expect(page.querySelector('.figures')).toBeNull();
  expect(page.querySelectorAll('[data-chart]')).toHaveLength(0);
  unmount();
});

it('says that the time of the other steps is not known where no other run is complete', async () => {
  const { now, unmount } = await shown([exporting], [], []);
  expect(now?.textContent).toContain('of measuring to come');
  // A changed run is not the first one of its model.
  expect(now?.textContent).toContain(
    'This machine has no other complete run of this model: the time of the other steps is not known.',
  );
  unmount();
});

it('has throughput and p99 of each window as it lands, and the same tiles until the end', async () => {
  const level = { runId, scenario: 'offline', batchSize: 2, concurrency: 1, index: 0 } as const;
  const window = { ...level, type: 'window', inferencesPerSecond: 1234, p99Us: 5678 } as const;
  const { page, now, unmount } = await shown(
    [measuring, measurementBody('offline', pointFixture({ batchSize: 1 }))],
    [window],
  );
  expect(now?.textContent).toContain('Level 2 of 12');
  const values = [...(now?.querySelectorAll('.now-value') ?? [])].map(({ textContent }) => textContent);
  expect(values.slice(0, 2)).toEqual(['1,234 inferences/s', '5.68 ms']);
  const charts = [...page.querySelectorAll('[data-chart]')].map((chart) => chart.getAttribute('data-chart'));
  expect(charts.slice(0, 3)).toEqual(['windows', 'throughput', 'latency']);
  const tiles = [...page.querySelectorAll('.figures .figure > :first-child')];
  expect(tiles.map(({ textContent }) => textContent)).toEqual([
    'Best steady level',
    'p99 at this level',
    'Single request',
    'Accuracy',
    'Levels measured',
  ]);
  unmount();
});

it('is not there once the run has ended', async () => {
  const { now, unmount } = await shown([exporting, { type: 'run-finished', outcome: 'cancelled' }]);
  expect(now).toBeNull();
  unmount();
});
