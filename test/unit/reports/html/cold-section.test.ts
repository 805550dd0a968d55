import { expect, it } from 'vitest';
import { renderChart } from '../../../../main/reports/charts/render-chart';
import { csvColdStart } from '../../../../main/reports/csv.exporter';
import { html } from '../../../../main/reports/html.exporter';
import { coldChart } from '../../../../main/reports/html/cold-section';
import { json } from '../../../../main/reports/json.exporter';
import { markdown } from '../../../../main/reports/markdown.exporter';
import { toReport } from '../../../../main/reports/to-report';
import { coldFixture, coldState, trialFixture } from '../../../support/cold-state';
import { parseCsv } from '../../../support/parse-csv';
import { completeState } from '../../../support/run-state';

const context = { generatedAt: '2025-11-21T08:30:00.000Z' };
const state = coldState();
const report = toReport(state, context);
const notReached = 'The warm-up does not reach batch size 16: it had no effect there.';

it('the report has what a start takes, the first requests, and what a warm-up made of them', () => {
  for (const { content } of [html.render({ state, report }), markdown.render({ state, report })]) {
    expect(content).toContain('Cold start');
    expect(content).toContain(
      'Ready to serve after 2.1 s: Triton starts in 1.6 s, the model loads in 480 ms.',
    );
    // Of the run, and of the trial.
    expect(content.split(notReached)).toHaveLength(3);
    expect(content).toContain('912.0');
  }
  expect(html.render({ state, report }).content).toContain('305.0 [303.0, 307.0]');
});

it('draws first request and steady median of each batch size', () => {
  const drawn = renderChart(coldChart(report.coldStart?.rows ?? []));
  expect(drawn).toContain('First request');
  expect(drawn).toContain('Steady median');
  expect(drawn).toContain('>16<');
});

it('the CSV file has a row per first request, and JSON what was recorded', () => {
  const [header, ...rows] = parseCsv(csvColdStart.render({ state, report }).content);
  expect(header).toEqual(
    expect.arrayContaining(['Client Batch', 'First request (ms)', 'Steady p50 (ms)', 'Warm-up']),
  );
  expect(rows.map(([batch, first]) => [batch, first])).toEqual([
    ['1', '902'],
    ['16', '912'],
  ]);
  const document = JSON.parse(json.render({ state, report }).content) as unknown;
  expect(document).toMatchObject({ coldStart: coldFixture, warmUpTrial: trialFixture });
});

it('a run of an earlier version has no such section, and no file', () => {
  const before = completeState();
  const plain = toReport(before, context);
  expect(csvColdStart.applies?.(plain)).toBe(false);
  for (const { content } of [
    html.render({ state: before, report: plain }),
    markdown.render({ state: before, report: plain }),
  ]) {
    expect(content).not.toContain('Cold start');
  }
});
