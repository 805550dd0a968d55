import { expect, it } from 'vitest';
import { renderChart } from '../../../../main/reports/charts/render-chart';
import { timelineCharts } from '../../../../main/reports/charts/timeline-charts';
import { csvSlices } from '../../../../main/reports/csv.exporter';
import { html } from '../../../../main/reports/html.exporter';
import { toReport } from '../../../../main/reports/to-report';
import { parseCsv } from '../../../support/parse-csv';
import { completeState } from '../../../support/run-state';
import { slicedState } from '../../../support/sliced-state';

const context = { generatedAt: '2025-11-21T08:30:00.000Z' };
const state = slicedState();
const report = toReport(state, context);
const online = report.scenarios.find(({ id }) => id === 'online');

it('draws requests and latency over the time of each level with slices, and nothing of others', () => {
  if (online === undefined) throw new Error('The run has online levels');
  const charts = timelineCharts(online);
  expect(charts.length).toBeGreaterThan(0);
  expect(charts.length % 2).toBe(0);
  const drawn = charts.slice(0, 2).map((chart) => renderChart(chart));
  expect(drawn[0]).toContain('Answered');
  expect(drawn[0]).toContain('Refused');
  // None failed.
  expect(drawn[0]).not.toContain('Failed');
  expect(drawn[1]).toContain('Latency from schedule (ms)');
  const plain = toReport(completeState(), context).scenarios.flatMap(timelineCharts);
  expect(plain).toEqual([]);
});

it('says in the report what the stages came to, with a row per slice', () => {
  const { content } = html.render({ state, report });
  expect(content).toContain('At twice the promised rate');
  expect(content).toContain('good requests/s within 200.0 ms');
  expect(content).toContain('Time slices');
  expect(content).toContain('Refused requests');
});

it('has every slice of every level in the CSV file', () => {
  const [header = [], ...rows] = parseCsv(csvSlices.render({ state, report }).content);
  expect(header.slice(0, 3)).toEqual(['Level', 'Time (s)', 'Due/Second']);
  expect(rows).toHaveLength(40 * (online?.rows.filter(({ point }) => point !== null).length ?? 0));
  expect(Number(rows[12]?.[2])).toBe(200);
  expect(csvSlices.applies?.(toReport(completeState(), context))).toBe(false);
});
