// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest';
import {
  cacheTable as printedCache,
  certaintyTable,
  composingTable as printedComposing,
  errorTable,
  pointLine,
  pointTable,
} from '../../../main/cli/perf/perf-print';
import type { LoadPoint } from '../../../main/contract/measured/results';
import { csvOnline } from '../../../main/reports/csv.exporter';
import { html } from '../../../main/reports/html.exporter';
import { toReport } from '../../../main/reports/to-report';
import { furtherPoint } from '../../support/further-point';
import { parseCsv } from '../../support/parse-csv';
import { ratePoint } from '../../support/rate-run';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../support/run-state';

// jsdom has no canvas and says so at every call; the charts measure text without one, as they do in Node.
vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);

const context = { generatedAt: '2025-11-21T08:30:00.000Z' };
const slow = {
  modelName: 'slow',
  modelVersion: '3',
  instances: 2,
  maxBatchSize: 8,
  requestCount: 1200,
  inferenceCount: 1200,
  executionCount: 400,
  queueUs: 4000,
  computeInputUs: 10,
  computeInferUs: 9000,
  computeOutputUs: 20,
  cacheHitCount: 300,
  cacheMissCount: 900,
};
const unknown = {
  ...slow,
  modelName: 'fast',
  modelVersion: '',
  computeInferUs: null,
  requestCount: null,
  inferenceCount: null,
  executionCount: null,
  cacheHitCount: null,
  cacheMissCount: null,
};
const whole: Partial<LoadPoint> = {
  composing: [slow, unknown],
  errorsByKind: [{ kind: 'UNAVAILABLE', count: 7, message: 'the <b>queue</b> is full' }],
  histogram: { edgesUs: [800, 1600, 3200], counts: [900, 1] },
  client: { cpuShare: null, loopShare: 0.1, loopDelayP99Us: 0 },
};

function pageOf(point: LoadPoint): Document {
  const state = stateOf([...createdBodies(), measurementBody('online', point)]);
  const { content } = html.render({ state, report: toReport(state, context) });
  return new DOMParser().parseFromString(content, 'text/html');
}
const cellsOf = (page: Document, selector: string) =>
  [...page.querySelectorAll(`${selector} tbody tr`)].map((row) =>
    [...row.querySelectorAll('td')].map((cell) => cell.textContent),
  );

describe('the report of a level', () => {
  const page = pageOf(pointFixture(whole));

  it('has the models of an ensemble, missing values as missing', () => {
    expect(cellsOf(page, 'table.composing')).toEqual([
      ['1', '1', 'slow/3', '1,200', '4.00', '0.010', '9.00', '0.020', '3.00', '2', '300', '900'],
      ['1', '1', 'fast', '–', '4.00', '0.010', '–', '0.020', '–', '2', '–', '–'],
    ]);
  });

  it('has failed requests by kind, in the words of the server as text', () => {
    expect(cellsOf(page, 'table.failed')).toEqual([
      ['1', '1', '7', 'UNAVAILABLE', 'the <b>queue</b> is full'],
    ]);
  });

  it('has a small histogram in which a single request is seen, and no CPU of a time too short', () => {
    const bars = [...page.querySelectorAll('svg.histogram rect')].map((bar) =>
      Number(bar.getAttribute('height')),
    );
    expect(bars).toHaveLength(2);
    expect(bars[0]).toBe(16);
    expect(bars[1]).toBeGreaterThan(0);
    expect(page.querySelector('svg.histogram')?.getAttribute('aria-label')).toBe(
      'Latencies from 0.800 to 3.20 ms',
    );
    expect(cellsOf(page, 'table.sampling')[0]?.[8]).toBe('–');
  });

  it('has none of it where there is none', () => {
    const plain = pageOf(pointFixture());
    expect(plain.querySelector('table.composing, table.failed, svg.histogram')).toBeNull();
    expect(cellsOf(plain, 'table.sampling')[0]?.[9]).toBe('–');
  });
});

describe('the tables of perf', () => {
  it('have the models of an ensemble and the failed requests', () => {
    const points = [pointFixture(whole)];
    expect(printedComposing(points)).toMatch(/slow\/3 +1,200 +400 +4\.00 +0\.010 +9\.00/);
    expect(printedComposing(points)).toMatch(/fast +– +–/);
    expect(errorTable(points)).toContain('UNAVAILABLE');
    expect(printedComposing([pointFixture()])).toBeNull();
    expect(errorTable([pointFixture()])).toBeNull();
  });

  it('say the rate asked for and the one achieved', () => {
    const [header = '', row = ''] = pointTable([ratePoint(200)]).split('\n');
    expect(header).toMatch(/Request rate .* Achieved requests\/s +p50 from schedule/);
    expect(row).toMatch(/ 200 .* 198\.0 /);
  });
});

describe('intervals, cache and client', () => {
  const sure = pointFixture({
    concurrency: 4,
    ...{ inferencesPerSecond: 1234, throughputIntervalIps: 20 },
    ...{ avgUs: 12_500, p50Us: 12_000, p90Us: 14_000, p95Us: 15_000, p99Us: 18_000 },
    p99IntervalUs: 900,
    latencyIntervals: { avgUs: 300, p50Us: 400, p90Us: 500, p95Us: null },
    meanServerBatch: 2.5,
    client: { cpuShare: 0.42, loopShare: 0.4, loopDelayP99Us: 150 },
    cache: { hitCount: 1500, missCount: 300, hitUs: 20, missUs: null },
  });
  const state = stateOf([
    ...createdBodies(),
    measurementBody('online', pointFixture({ concurrency: 2 })),
    measurementBody('online', sure),
  ]);
  const report = toReport(state, context);
  const page = new DOMParser().parseFromString(html.render({ state, report }).content, 'text/html');

  it('stand in the report beside each value, missing ones as missing', () => {
    expect(cellsOf(page, 'table.intervals')).toEqual([
      [
        ...['1', '4', '1,234 ± 20'],
        ...['12.00 ± 0.40', '14.00 ± 0.50', '15.00', '18.00 ± 0.90', '12.50 ± 0.30'],
      ],
    ]);
    const heading = [...page.querySelectorAll('h3')].find((found) => found.textContent === 'Response cache');
    const row = heading?.nextElementSibling?.querySelector('tbody tr');
    expect([...(row?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent)).toEqual([
      ...['1', '4', '1,500', '300'],
      ...['0.020', '–'],
    ]);
  });

  it('are not in the report of levels without any', () => {
    const plain = pageOf(pointFixture());
    expect(plain.querySelector('table.intervals')).toBeNull();
    expect(plain.body.textContent).not.toContain('Response cache');
  });

  it('are columns of the file, empty where a level has none', () => {
    const [header = [], ...rows] = parseCsv(csvOnline.render({ state, report }).content);
    const under = (heading: string) =>
      rows.filter((row) => row[2] !== '').map((row) => row[header.indexOf(heading)]);
    expect(under('Inferences/Second +/-')[1]).toBe('20');
    expect(under('avg latency +/- (ms)')).toEqual(['', '0.3']);
    expect(under('p95 latency +/- (ms)')).toEqual(['', '']);
    expect(under('p99 latency +/- (ms)')).toEqual(['', '0.9']);
    expect(under('Server Cache Hit Count')).toEqual(['', '1500']);
    expect(under('Server Cache Hit (ms)')).toEqual(['', '0.02']);
    expect(under('Server Cache Miss (ms)')).toEqual(['', '']);
  });

  it('stand in the tables and the line of perf', () => {
    const [header = '', row = ''] = pointTable([sure]).split('\n');
    expect(header).toMatch(/Inferences\/s +± +Mean executed batch size +Client send .* p99 +± +avg$/);
    expect(row).toMatch(/ 1,234 +20 +2\.50 .* 18\.00 +0\.90 +12\.50$/);
    expect(pointLine(sure)).toContain('1,234 ± 20 inferences/s, p99 18.00 ± 0.90 ms');
    expect(certaintyTable([sure])).toMatch(/0\.40 +0\.50 +– +0\.30 +0\.420 +– +40\.0 % +0\.150$/);
    expect(printedCache([sure])).toMatch(/1,500 +300 +0\.020 +–$/);
  });

  it('are missing there where nothing is known', () => {
    const bare = pointFixture({ throughputIntervalIps: null, meanServerBatch: null });
    expect(pointTable([bare]).split('\n')[1]).toMatch(/ –  +– /);
    expect(pointLine(bare)).not.toContain('±');
    expect(certaintyTable([bare])).toBeNull();
    expect(printedCache([bare])).toBeNull();
  });
});

describe('the report of further details', () => {
  const plain = pointFixture({ concurrency: 2 });
  const beside = [{ model: 'large', batchSize: 2, concurrency: 8 }];
  const state = stateOf([
    ...createdBodies(),
    measurementBody('online', plain),
    measurementBody('online', furtherPoint({ model: 'small', together: beside })),
  ]);
  const report = toReport(state, context);
  const page = new DOMParser().parseFromString(html.render({ state, report }).content, 'text/html');
  const below = (title: string): string[][] => {
    const heading = [...page.querySelectorAll('h3')].find((found) => found.textContent === title);
    const rows = heading?.nextElementSibling?.querySelectorAll('tbody tr') ?? [];
    return [...rows].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent));
  };

  it('has tables of the levels that have them', () => {
    expect(below('Checks of responses')).toEqual([
      ['1', '4', '118', '2', '40', 'names, types, shapes, finite values'],
    ]);
    expect(below('TLS')).toEqual([['1', '4', 'not verified', 'none']]);
    expect(below('Models measured together')).toEqual([
      ['1', '4', 'small', 'large at batch size 2, concurrency 8'],
    ]);
    expect(below('Sequences and streams')[1]?.slice(0, 6)).toEqual([
      '1',
      '4',
      '31.25',
      '7.50',
      '1,235',
      '2.00',
    ]);
  });

  it('has them in the file, empty where a level has none', () => {
    const [header = [], ...rows] = parseCsv(csvOnline.render({ state, report }).content);
    const under = (heading: string) =>
      rows.filter((row) => row[2] !== '').map((row) => row[header.indexOf(heading)]);
    expect(under('Responses/Request')).toEqual(['', '7.5']);
    expect(under('First Response p99 (ms)')).toEqual(['', '8']);
    expect(under('Checked Response Count')).toEqual(['', '118']);
    expect(under('Wrong Response Count')).toEqual(['', '2']);
    expect(under('TLS Certificate')).toEqual(['', 'not verified']);
    expect(under('Measured Together With')).toEqual(['', 'large at batch size 2, concurrency 8']);
  });

  it('has a row for each of the models of a level', () => {
    const body = (model: string) => ({ ...measurementBody('online', pointFixture({ model })), key: model });
    const two = toReport(stateOf([...createdBodies(), body('small'), body('large')]), context);
    const rows = two.scenarios[1]?.rows.filter(({ concurrency }) => concurrency === 1) ?? [];
    expect(rows.map(({ point }) => point?.model)).toEqual(['small', 'large']);
  });
});
