// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { ComparedBatch } from '../../../../../main/contract/measured/compared-batches';
import type { AccuracyResult } from '../../../../../main/contract/measured/results';
import type { RunState } from '../../../../../main/contract/run/run-state';
import { html } from '../../../../../main/reports/html.exporter';
import { markdown } from '../../../../../main/reports/markdown.exporter';
import { toReport } from '../../../../../main/reports/to-report';
import { AccuracyPanel } from '../../../../../renderer/views/run/accuracy-panel';
import { completeState } from '../../../../support/run-state';

const batches: readonly ComparedBatch[] = [
  { batchSize: 1, requestCount: 8, maxAbsDiff: 35.9, passed: false },
  { batchSize: 8, requestCount: 1, maxAbsDiff: 0, passed: true },
  { batchSize: 1, requestCount: 8, gathered: [1, 7], maxAbsDiff: 0, passed: true },
];

function stateWith(more: Partial<AccuracyResult>): RunState {
  const state = completeState();
  if (state.accuracy === null) throw new Error('the fixture has no accuracy');
  return { ...state, accuracy: { ...state.accuracy, result: { ...state.accuracy.result, ...more } } };
}

const gathered = 'batch size 1 with 8 requests at once (executed in batches of 1 and 7)';

describe('the batch sizes that were compared', () => {
  const state = stateWith({ batches: [...batches] });
  const report = toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z' });

  it('are a table of the window, each with its largest difference and whether it passed', () => {
    const result = state.accuracy?.result as AccuracyResult;
    const page = new DOMParser().parseFromString(
      renderToStaticMarkup(
        <MantineProvider>
          <AccuracyPanel result={result} preset={undefined} />
        </MantineProvider>,
      ),
      'text/html',
    );
    const rows = [...page.querySelectorAll('tbody tr')].map((row) =>
      [...row.querySelectorAll('td')].map((cell) => cell.textContent),
    );
    expect(rows.slice(-3).map((cells) => cells.slice(0, 3))).toEqual([
      ['batch size 1', '8', '35.9'],
      ['batch size 8', '1', '0'],
      [gathered, '8', '0'],
    ]);
    expect(page.body.textContent).toContain(
      'compared at batch sizes 1 and 8, and gathered by the dynamic batcher',
    );
  });

  it('of a model without a metric are not below a table that has no row', () => {
    const result = stateWith({ metrics: [] }).accuracy?.result as AccuracyResult;
    const page = renderToStaticMarkup(
      <MantineProvider>
        <AccuracyPanel result={result} preset={undefined} />
      </MantineProvider>,
    );
    expect(page).not.toContain('Metric');
  });

  it('are in the reports', () => {
    for (const exporter of [html, markdown]) {
      const { content } = exporter.render({ state, report });
      expect(content).toContain(gathered);
      expect(content).toContain('35.9');
    }
  });

  it('are nowhere of an older run, which does not say them', () => {
    const older = completeState();
    const { content } = html.render({
      state: older,
      report: toReport(older, { generatedAt: '2025-11-21T08:30:00.000Z' }),
    });
    expect(content).not.toContain('Batch sizes</h3>');
  });
});
