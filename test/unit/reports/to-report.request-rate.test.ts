// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest';
import { renderChart } from '../../../main/reports/charts/render-chart';
import { scenarioCharts } from '../../../main/reports/charts/report-charts';
import { csvAccuracy, csvOnline } from '../../../main/reports/csv.exporter';
import { html } from '../../../main/reports/html.exporter';
import { json } from '../../../main/reports/json.exporter';
import { toReport } from '../../../main/reports/to-report';
import { parseCsvRows } from '../../support/parse-csv';
import { rateState } from '../../support/rate-run';
import { accuracyBody, completeState, createdBodies, stateOf } from '../../support/run-state';

// jsdom has no canvas and says so at every call; the charts measure text without one, as they do in Node.
vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);

const context = { generatedAt: '2025-11-21T08:30:00.000Z' };
const state = rateState();
const report = toReport(state, context);
const page = new DOMParser().parseFromString(html.render({ state, report }).content, 'text/html');
const texts = (selector: string): string[] =>
  [...page.querySelectorAll(selector)].map((element) => element.textContent.trim());

describe('a report of request rates', () => {
  it('has them in the CSV under their own name, with both latencies and missing ones empty', () => {
    const rows = parseCsvRows(csvOnline.render({ state, report }).content);
    expect(Object.keys(rows[0] ?? {})).not.toContain('Concurrency');
    expect(rows.map((row) => row['Request Rate'])).toEqual(['50', '100', '200', '400']);
    expect(rows[0]).toMatchObject({
      'Requests/Second': '49.5',
      'Delayed Request Count': '17',
      'p99 latency (ms)': '5',
      'p50 latency from schedule (ms)': '7',
      'p90 latency from schedule (ms)': '14',
      'p95 latency from schedule (ms)': '19.5',
      'p99 latency from schedule (ms)': '31',
      'max latency from schedule (ms)': '44',
    });
    expect(rows[1]).toMatchObject({
      'p99 latency (ms)': '5',
      'p99 latency from schedule (ms)': '',
      'Delayed Request Count': '',
    });
    expect(rows[3]).toMatchObject({ Flags: 'missing: load-tool-failed', 'Requests/Second': '' });
  });

  it('has a table with asked, achieved, delayed and both latencies', () => {
    const cells = [...page.querySelectorAll('table.schedule tbody tr')].map((row) =>
      [...row.querySelectorAll('td')].map((cell) => cell.textContent),
    );
    expect(cells).toEqual([
      ...[
        [
          '1',
          '50',
          '49.50',
          '17',
          '3.00',
          '4.00',
          '4.50',
          '5.00',
          '7.00',
          '14.00',
          '19.50',
          '31.00',
          '44.00',
        ],
        ['1', '100', '99.00', '–', '3.00', '4.00', '4.50', '5.00', '–', '–', '–', '–', '–'],
        [
          '1',
          '200',
          '198.0',
          '17',
          '3.00',
          '4.00',
          '4.50',
          '5.00',
          '7.00',
          '14.00',
          '19.50',
          '31.00',
          '44.00',
        ],
      ],
    ]);
  });

  it('nowhere says concurrency of them', () => {
    const online = page.querySelectorAll('section');
    const section = [...online].find((one) => one.querySelector('h2')?.textContent.includes('Online'));
    expect(section?.textContent).toContain('Request rate (requests/s)');
    expect(section?.textContent).not.toMatch(/concurrency|Conc\./i);
    const parameters = report.parameters.flatMap(({ rows }) => rows);
    const concurrency = parameters.find(({ field }) => field === 'performance.concurrency');
    expect(concurrency?.value).toBe('not used: measured by request rate');
    expect(texts('table.load thead th[title="Request Rate"]')).toEqual(['Req. rate']);
  });

  it('draws both latencies', () => {
    const online = report.scenarios.find(({ id }) => id === 'online');
    if (online === undefined) throw new Error('The report has an online scenario');
    const svg = scenarioCharts(online).map(renderChart).join('');
    for (const name of ['p99 from schedule', 'p99 from send', 'Latency by request rate'])
      expect(svg).toContain(name);
  });

  it('says the p99 from the schedule first, in figure and verdict', () => {
    expect(report.verdict).toContain('at p99 31.00 ms from schedule (online, batch size 1, 200 requests/s;');
    expect(report.figures[1]).toMatchObject({ value: '31.00', unit: 'ms' });
    expect(report.figures[1]?.note).toContain('from send p99 5.0');
    expect(report.notes.map(({ name }) => name)).toContain('Latency from schedule');
  });

  it('names the rate of a level without a result for machines', () => {
    const document = JSON.parse(json.render({ state, report }).content) as {
      online: { missing: readonly unknown[] };
    };
    expect(document.online.missing).toMatchObject([{ requestRate: 400 }]);
  });

  it('has none of it without request rates', () => {
    const closed = completeState();
    const closedReport = toReport(closed, context);
    const content = html.render({ state: closed, report: closedReport }).content;
    expect(content).not.toContain('class="fixed schedule"');
    expect(closedReport.notes.map(({ name }) => name)).not.toContain('Latency from schedule');
  });
});

describe('samples of another length', () => {
  const [output] = completeState().accuracy?.result.outputs ?? [];
  if (output === undefined) throw new Error('The fixture has an output');

  it('are said where lengths are compared', () => {
    const own = stateOf([...createdBodies(), accuracyBody({ outputs: [{ ...output, otherLengths: 3 }] })]);
    const ownReport = toReport(own, context);
    const content = html.render({ state: own, report: ownReport }).content;
    expect(content).toContain('200 (3)');
    expect(content).toContain('longer or shorter on Triton');
    const [, , row] = parseCsvRows(csvAccuracy.render({ state: own, report: ownReport }).content);
    expect(row).toMatchObject({ Kind: 'output', 'Other Lengths': '3' });
  });

  it('are not mentioned elsewhere', () => {
    const own = stateOf([...createdBodies(), accuracyBody()]);
    const content = html.render({ state: own, report: toReport(own, context) }).content;
    expect(content).not.toContain('longer or shorter on Triton');
  });
});
