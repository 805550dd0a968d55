// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../../../../main/contract/measured/results';
import {
  CacheTable,
  ChecksTable,
  EffortTable,
  SequenceTable,
  SharedMemoryTable,
  StreamTable,
  TogetherTable,
} from '../../../../../renderer/views/run/level-details';
import { levelColumns, PointsTable } from '../../../../../renderer/views/run/points-table';
import { furtherPoint } from '../../../../support/further-point';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../../support/run-state';

const drawn = (element: ReactElement): Document =>
  new DOMParser().parseFromString(
    renderToStaticMarkup(<MantineProvider>{element}</MantineProvider>),
    'text/html',
  );
const texts = (parent: ParentNode, selector: string): string[] =>
  [...parent.querySelectorAll(selector)].map((cell) => cell.textContent);
const rowsOf = (page: Document): string[][] =>
  [...page.querySelectorAll('tbody tr')].map((row) => texts(row, 'td'));

function table(...points: readonly LoadPoint[]): Document {
  const state = stateOf([...createdBodies(), ...points.map((point) => measurementBody('online', point))]);
  return drawn(<PointsTable scenario="online" state={state.scenarios.online} />);
}
/** Text of each level under a heading. */
function under(page: Document, heading: string): string[] {
  const at = texts(page, 'th').indexOf(heading);
  return at < 0 ? [] : rowsOf(page).map((row) => row[at] ?? '');
}

describe('the table of levels', () => {
  const plain = pointFixture({ concurrency: 1 });

  it('has no further column where no level has one', () => {
    const headings = texts(table(plain), 'th');
    expect(headings).toEqual(
      'Concurrency,State,Inferences/s,p50,p90,p95,p99,avg,Mean executed batch size,Requests'.split(','),
    );
  });

  it('has the components of the latency behind it, where they are asked for', () => {
    const titles = levelColumns('concurrency', [plain], true).map(({ title }) => title);
    expect(titles).toEqual([
      ...'p50,p90,p95,p99,avg,Client send,Network + server,Server queue'.split(','),
      ...'Compute input,Compute infer,Compute output,Client receive,Mean executed batch size'.split(','),
    ]);
  });

  it('has those of streams, sequences, checks and TLS where one level has them; missing is no 0', () => {
    const page = table(plain, furtherPoint());
    expect(under(page, 'Responses/request')).toEqual(['–', '7.50']);
    expect(under(page, 'Responses/s')).toEqual(['–', '1,235']);
    expect(under(page, 'First response p50')).toEqual(['–', '2.00']);
    expect(under(page, 'First response p99')).toEqual(['–', '8.00']);
    expect(under(page, 'Between responses p99')).toEqual(['–', '2.00']);
    expect(under(page, 'Sequences/s')).toEqual(['–', '31.25']);
    expect(under(page, 'Checked responses')).toEqual(['–', '118']);
    expect(under(page, 'Wrong responses')).toEqual(['–', '2']);
    expect(under(page, 'TLS certificate')).toEqual(['–', 'not verified']);
    expect(texts(page, 'td.number.tone-warn')).toEqual(['2', 'not verified']);
    expect(page.body.textContent).toContain('latency over a stream is that of the last response');
  });

  it('has half the width of the interval below each value, and below repeats their range alone', () => {
    const sure = pointFixture({
      ...{ throughputIntervalIps: 20, p99IntervalUs: 900 },
      latencyIntervals: { avgUs: 300, p50Us: 400, p90Us: null, p95Us: 600 },
    });
    const spans = (point: LoadPoint) => texts(table(point), '.range');
    expect(spans(sure)).toEqual(['± 20.0', '± 0.40', '± 0.60', '± 0.90', '± 0.30']);
    expect(table(sure).body.textContent).toContain('95 % interval');
    expect(spans(pointFixture({ throughputIntervalIps: null }))).toEqual([]);
    const state = stateOf([...createdBodies(), measurementBody('online', sure)]);
    const [measured] = state.scenarios.online.points;
    if (measured === undefined) throw new Error('The level is measured');
    const ranges = { p99Us: { min: 1000, max: 2000 } };
    const point = { ...measured.point, repeats: { count: 3, failed: 0, ranges, middle: 1 } };
    const repeated = { ...state.scenarios.online, points: [{ ...measured, point }] };
    const page = drawn(<PointsTable scenario="online" state={repeated} />);
    expect(texts(page, '.range')).toEqual(['3 repeats', '1.00–2.00']);
  });

  it('shows what a tool did not tell as missing', () => {
    const { streaming } = furtherPoint();
    if (streaming === undefined) throw new Error('The fixture streams');
    const page = table(
      furtherPoint({
        streaming: { ...streaming, responsesPerRequest: null, firstResponse: null, interResponse: null },
      }),
    );
    expect(under(page, 'Responses/request')).toEqual(['–']);
    expect(under(page, 'First response p50')).toEqual(['–']);
  });

  it('explains every heading in one line', () => {
    const titles = [...table(furtherPoint({ model: 'a' })).querySelectorAll('th')].map(
      (heading) => heading.title,
    );
    expect(titles.filter((title) => !/^[^\n]{10,160}\.$/.test(title))).toEqual([]);
  });

  it('names the models that were measured at the same time, a row each', () => {
    const body = (model: string) => ({ ...measurementBody('online', pointFixture({ model })), key: model });
    const state = stateOf([...createdBodies(), body('small'), body('large')]);
    const page = drawn(<PointsTable scenario="online" state={state.scenarios.online} />);
    expect(under(page, 'Model')).toEqual(['small', 'large']);
  });
});

describe('the details of levels', () => {
  const plain = pointFixture();

  it('are not there for levels without any', () => {
    const tables = [ChecksTable, SharedMemoryTable, TogetherTable, StreamTable, SequenceTable];
    for (const Table of [...tables, CacheTable, EffortTable]) {
      expect(renderToStaticMarkup(<Table points={[plain]} />)).toBe('');
    }
  });

  it('have all percentiles of the responses, missing ones as missing', () => {
    const { streaming } = furtherPoint();
    if (streaming === undefined) throw new Error('The fixture streams');
    const rows = rowsOf(
      drawn(<StreamTable points={[furtherPoint({ streaming: { ...streaming, finalResponse: null } })]} />),
    );
    const level = 'batch size 1, concurrency 4';
    expect(rows).toEqual([
      [level, 'yes', '3 to 12', 'First response', '2.00', '4.00', '6.00', '8.00', '2.20', '10.00'],
      ['', '', '', 'Between responses', '0.500', '1.00', '1.50', '2.00', '0.550', '2.50'],
      ['', '', '', 'Final response', '–', '–', '–', '–', '–', '–'],
    ]);
  });

  it('say what was checked, and mark wrong responses', () => {
    const page = drawn(<ChecksTable points={[plain, furtherPoint()]} />);
    expect(rowsOf(page)).toEqual([
      ['batch size 1, concurrency 4', '1,800', '118', '2', '40', 'names, types, shapes, finite values'],
    ]);
    expect(page.querySelectorAll('tr.tone-warn')).toHaveLength(1);
  });

  it('have what the cache did, and what the client had to do', () => {
    const point = pointFixture({
      flags: ['client-saturated'],
      client: { cpuShare: 0.97, loopShare: 0.955, loopDelayP99Us: 1500 },
      cache: { hitCount: 1500, missCount: 300, hitUs: 20, missUs: null },
    });
    const level = 'batch size 1, concurrency 1';
    expect(rowsOf(drawn(<CacheTable points={[plain, point]} />))).toEqual([
      [level, '1,500', '300', '0.020', '–'],
    ]);
    const page = drawn(<EffortTable points={[plain, point]} />);
    expect(rowsOf(page)).toEqual([
      [level, '0.970', '–', '95.5 %', '1.50', 'client-limited: the server may be faster'],
    ]);
    expect(page.querySelectorAll('tr.tone-warn')).toHaveLength(1);
  });

  it('have the sequences as asked for and ended', () => {
    const rows = rowsOf(drawn(<SequenceTable points={[furtherPoint()]} />));
    expect(rows).toEqual([['batch size 1, concurrency 4', '20 ± 10 %', '4', '31.25']]);
  });

  it('have what went through shared memory, and what ran beside', () => {
    const point = pointFixture({
      sharedMemory: { kind: 'system', checkedCount: 9, wrongCount: 0, repairs: 1 },
      model: 'small',
      together: [{ model: 'large', batchSize: 2, concurrency: 8 }],
    });
    const level = 'batch size 1, concurrency 1';
    expect(rowsOf(drawn(<SharedMemoryTable points={[point]} />))).toEqual([[level, 'system', '9', '0', '1']]);
    expect(rowsOf(drawn(<TogetherTable points={[point]} />))).toEqual([
      ['small', level, 'large at batch size 2, concurrency 8'],
    ]);
  });
});
