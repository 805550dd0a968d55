// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import fc from 'fast-check';
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { cacheTable, certaintyTable, composingTable, pointTable } from '../../../../main/cli/perf/perf-print';
import {
  cellText,
  type Column,
  intervalHeading,
  titleWithUnit,
  valueText,
} from '../../../../main/contract/measured/column';
import * as levels from '../../../../main/contract/measured/columns';
import * as details from '../../../../main/contract/measured/detail-columns';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import type { Sweep } from '../../../../main/contract/run/sweep';
import { compareLevels } from '../../../../main/domain/measured/compare-levels';
import { loadCsv } from '../../../../main/reports/csv';
import { html } from '../../../../main/reports/html.exporter';
import { toReport } from '../../../../main/reports/to-report';
import { chartThemes } from '../../../../renderer/charts/chart-theme';
import { componentsChart } from '../../../../renderer/charts/components-chart';
import { LevelTable } from '../../../../renderer/views/compare/level-table';
import {
  CacheTable,
  ChecksTable,
  ComposingTable,
  EffortTable,
  SequenceTable,
  StreamTable,
} from '../../../../renderer/views/run/level-details';
import { levelColumns, PointsTable } from '../../../../renderer/views/run/points-table';
import { furtherPoint } from '../../../support/further-point';
import { type HtmlTable, tablesOf } from '../../../support/html-tables';
import { parseCsv } from '../../../support/parse-csv';
import { createdBodies, pointFixture, specFixture, stateOf } from '../../../support/run-state';

const isColumn = (value: unknown): value is Column =>
  typeof value === 'object' && value !== null && 'read' in value && 'heading' in value;

/** Every row of the table, however it is exported. */
function rowsIn(value: unknown): readonly Column[] {
  if (isColumn(value)) return [value];
  if (Array.isArray(value)) return value.flatMap(rowsIn);
  return typeof value === 'object' && value !== null && 'columns' in value ? rowsIn(value.columns) : [];
}
const table: readonly Column[] = [
  ...new Set([
    levels.loadOf('concurrency'),
    levels.loadOf('requestRate'),
    ...[...Object.values(levels), ...Object.values(details)].flatMap(rowsIn),
  ]),
];
const ofLevels = table.filter(({ id }) => !/^(model-|gpu-)/.test(id));

const written = (element: ReactElement): string =>
  renderToStaticMarkup(<MantineProvider withCssVariables={false}>{element}</MantineProvider>);
/** Without drawings and styles, in which nothing is looked for and which take most of the time to read. */
const parsed = (page: string): Document =>
  new DOMParser().parseFromString(page.replaceAll(/<(svg|style)\b.*?<\/\1>/gs, ''), 'text/html');
const texts = (parent: ParentNode, selector: string): string[] =>
  [...parent.querySelectorAll(selector)].map((cell) => cell.textContent);

/** The column of a heading in a table for people; undefined for what is not measured, as "State". */
const titled = (title: string, among: readonly Column[] = ofLevels): Column | undefined =>
  among.find((column) =>
    [column.title, titleWithUnit(column), levels.fromSend(column).title].includes(title),
  );

/** Texts by surface and column, in the order of the levels. */
type Shown = Map<string, Map<string, readonly string[]>>;

function note(shown: Shown, surface: string, column: Column | undefined, cells: readonly string[]): void {
  if (column === undefined) return;
  const columns = shown.get(surface) ?? new Map<string, readonly string[]>();
  shown.set(surface, columns.set(column.id, cells));
}

const dataCells = ({ cells }: HtmlTable['body'][number]) => cells.filter(({ tag }) => tag === 'td');

/** The rows of a table on a page, by the titles of its last row of headings. */
function noteTable(shown: Shown, surface: string, table: HtmlTable | undefined): void {
  const rows = (table?.body ?? []).map(dataCells);
  (table?.head.at(-1)?.cells ?? []).forEach(({ text }, index) => {
    const cells = rows.map((row) => row[index]?.first ?? '');
    note(shown, surface, titled(text), cells);
  });
}

function window(shown: Shown, points: readonly LoadPoint[], sweep: Sweep): void {
  const state = {
    points: points.map((point, index) => ({ key: String(index), point })),
    missing: [],
  };
  noteTable(shown, 'window', tablesOf(written(<PointsTable scenario="online" state={state} />))[0]);
  for (const Table of [CacheTable, ChecksTable, EffortTable, SequenceTable]) {
    noteTable(shown, `window ${Table.displayName ?? ''}`, tablesOf(written(<Table points={points} />))[0]);
  }
  const [trace] = componentsChart({
    ...{ scenario: 'online', state, planned: [], sweep, level: null, budgetMs: null },
    theme: chartThemes.light,
  }).data;
  const hovers = trace?.hovertext ?? [];
  for (const column of levels.components) {
    const found = [hovers]
      .flat()
      .map((text) => new RegExp(`${column.title.replace('+', '\\+')} (\\S+) ms`).exec(text)?.[1] ?? '');
    note(shown, 'chart', column, found);
  }
}

/** Every point of the scenario in the report and in the file; a level that was not measured has no cells. */
function files(shown: Shown, state: ReturnType<typeof stateOf>, sweep: Sweep): void {
  const report = toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z' });
  const online = report.scenarios.find(({ id }) => id === 'online');
  if (online === undefined) throw new Error('The report has the scenario');
  const tables = tablesOf(html.render({ state, report }).content);
  const ofClass = (name: string) => tables.filter(({ classes }) => classes.includes(name));
  const [load] = ofClass('load');
  if (load === undefined) throw new Error('The report has a table of levels');
  const rows = load.body
    .filter(({ classes }) => !classes.includes('hole'))
    .map((row) => dataCells(row).map(({ text }) => text));
  (load.head.at(-1)?.cells ?? []).forEach(({ title: name }, index) => {
    const column = ofLevels.find((known) => name !== null && known.heading === name);
    note(
      shown,
      'report',
      column,
      rows.map((row) => row[index] ?? ''),
    );
  });
  for (const further of [...ofClass('sampling'), ...ofClass('detail')]) {
    const headings = [...further.head, ...further.body].flatMap(({ cells }) => cells);
    const name = headings.flatMap(({ tag, text }) => (tag === 'th' ? text : [])).join();
    noteTable(shown, `report ${name}`, further);
  }
  const schedule = ofClass('schedule')
    .flatMap(({ body }) => body)
    .map((row) => dataCells(row).map(({ text }) => text));
  if (sweep === 'requestRate') {
    levels.scheduled
      .filter(({ short }) => short !== 'avg')
      .forEach((column, index) => {
        note(
          shown,
          'report schedule',
          column,
          schedule.map((row) => row[8 + index] ?? ''),
        );
      });
  }
  const [header = [], ...lines] = parseCsv(loadCsv(online, report.verification));
  const measured = lines.filter((line) => line[header.indexOf('Load Tool')] !== '');
  header.forEach((heading, index) => {
    const column = ofLevels.find((known) => known.heading === heading);
    if (column === undefined) return;
    const factor = column.kind === 'duration' ? 1000 : 1;
    const cells = measured.map(({ [index]: cell = '' }) =>
      cell === '' || column.kind === 'text'
        ? valueText(column, cell === '' ? null : cell)
        : valueText(column, Number(cell) * factor),
    );
    note(shown, 'CSV', column, cells);
  });
}

function commandLine(shown: Shown, points: readonly LoadPoint[]): void {
  for (const text of [pointTable(points), certaintyTable(points), cacheTable(points)]) {
    const [header = [], ...rows] = (text ?? '').split('\n').map((line) => line.trim().split(/ {2,}/));
    header.forEach((title, index) => {
      note(
        shown,
        `CLI ${header.join()}`,
        titled(title),
        rows.map((row) => row[index] ?? ''),
      );
    });
  }
}

/** Throughput and p99 of a level beside those of another run: the values of the first. */
function comparison(shown: Shown, state: ReturnType<typeof stateOf>, sweep: Sweep): void {
  const aligned = compareLevels([state, state], sweep);
  const [table] = tablesOf(
    written(<LevelTable sweep={sweep} levels={aligned} names={['a', 'b']} baseline={null} />),
  );
  const groups = (table?.head[0]?.cells ?? []).filter(({ classes }) => classes.includes('group'));
  groups.forEach(({ text: title }, group) => {
    const cells = (table?.body ?? []).map((row) =>
      (dataCells(row)[1 + 3 * group]?.first ?? '').replace('○ ', ''),
    );
    note(shown, 'compare', titled(title.replace(' (ms)', '')), cells);
  });
}

function shownOf(points: readonly LoadPoint[], sweep: Sweep): Shown {
  const spec = specFixture(({ performance }) => {
    if (sweep === 'requestRate') performance.requestRates = [1];
  });
  const state = stateOf([
    ...createdBodies(spec),
    ...points.map((point, index) => ({
      ...{ type: 'measurement' as const, scenario: 'online' as const, key: String(index), point },
    })),
  ]);
  const shown: Shown = new Map();
  window(shown, points, sweep);
  files(shown, state, sweep);
  commandLine(shown, points);
  comparison(shown, state, sweep);
  return shown;
}

/** From far below the resolution of a clock to hours; 0 too. */
const size = (from: number, to: number) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.double({ min: from, max: to, noNaN: true }).map((power) => 10 ** power) },
    { weight: 1, arbitrary: fc.constant(0) },
  );
const us = size(-1, 8);
const rate = size(-3, 6);
const orNull = (arbitrary: fc.Arbitrary<number>) => fc.option(arbitrary, { nil: null, freq: 8 });
const count = fc.integer({ min: 0, max: 1e7 });
const spread = fc.record({ avgUs: us, p50Us: us, p90Us: us, p95Us: us, p99Us: us, maxUs: us });

const result: fc.Arbitrary<Partial<LoadPoint>> = fc.record({
  ...{ inferencesPerSecond: rate, throughputIntervalIps: orNull(rate), meanServerBatch: orNull(rate) },
  ...{ clientSendUs: orNull(us), networkServerSendRecvUs: orNull(us), serverQueueUs: orNull(us) },
  ...{ serverComputeInputUs: orNull(us), serverComputeInferUs: orNull(us) },
  ...{ serverComputeOutputUs: orNull(us), clientRecvUs: orNull(us) },
  ...{ p50Us: us, p90Us: us, p95Us: us, p99Us: us, avgUs: orNull(us), p99IntervalUs: orNull(us) },
  latencyIntervals: fc.record({ avgUs: orNull(us), p50Us: orNull(us), p90Us: orNull(us), p95Us: orNull(us) }),
  ...{ requestCount: orNull(count), errorCount: count },
  client: fc.record({
    cpuShare: orNull(rate),
    loopShare: fc.double({ min: 0, max: 1, noNaN: true }),
    loopDelayP99Us: us,
  }),
  cache: fc.record({ hitCount: count, missCount: count, hitUs: orNull(us), missUs: orNull(us) }),
  outputChecks: fc.record({
    checkedCount: count,
    wrongCount: count,
    comparedCount: count,
    finite: fc.boolean(),
  }),
  streaming: fc.record({
    ...{ decoupled: fc.boolean(), responsesPerRequest: orNull(rate), responsesPerSecond: rate },
    ...{ fewestResponses: orNull(count), mostResponses: orNull(count) },
    ...{
      firstResponse: fc.option(spread),
      interResponse: fc.option(spread),
      finalResponse: fc.option(spread),
    },
  }),
  sequences: fc.record({
    ...{
      length: fc.constant(4),
      lengthVariation: fc.constant(0),
      concurrent: fc.integer({ min: 1, max: 99 }),
    },
    endedPerSecond: orNull(rate),
  }),
});
const scheduled = fc.record({
  ...{ avgUs: us, p50Us: us, p90Us: us, p95Us: us, p99Us: us, maxUs: us, delayedCount: count },
});

describe('the table of columns', () => {
  it('has each id, each heading of a file and each title of a level once', () => {
    const ids = table.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const headings = table.flatMap(({ heading }) => heading ?? []);
    expect(new Set(headings).size).toBe(headings.length);
    const titles = ofLevels.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const { help } of table) expect(help).toMatch(/^\S[^\n]{8,158}\.$/);
  });

  it('has exactly one row for every column that is shown, in all surfaces', () => {
    const point = furtherPoint({
      ...{ requestRate: 10, latencyIntervals: { avgUs: 1, p50Us: 1, p90Us: 1, p95Us: 1 } },
      cache: { hitCount: 1, missCount: 1, hitUs: 1, missUs: 1 },
      client: { cpuShare: 1, loopShare: 1, loopDelayP99Us: 1 },
      composing: [
        {
          ...{ modelName: 'm', modelVersion: '', requestCount: 1, inferenceCount: 1, executionCount: 1 },
          ...{ queueUs: 1, computeInputUs: 1, computeInferUs: 1, computeOutputUs: 1 },
          ...{ cacheHitCount: 1, cacheMissCount: 1 },
        },
      ],
      gpus: [{ uuid: 'g', utilization: 1, powerW: 1, maxMemoryBytes: 1, totalMemoryBytes: 1 }],
      scheduled: { avgUs: 1, p50Us: 1, p90Us: 1, p95Us: 1, p99Us: 1, maxUs: 1, delayedCount: 1 },
      ...{ model: 'a', together: [{ model: 'b', batchSize: 1, concurrency: 1 }] },
    });
    const state = stateOf([
      ...createdBodies(specFixture(({ performance }) => (performance.requestRates = [10]))),
      { type: 'measurement', scenario: 'online', key: 'k', point },
    ]);
    const report = toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z' });
    const online = report.scenarios.find(({ id }) => id === 'online');
    const [header = []] = online === undefined ? [] : parseCsv(loadCsv(online, report.verification));
    const inFiles = header.filter((heading) => !['Accuracy', 'Answer'].includes(heading));
    const known = (heading: string) =>
      ofLevels.filter(
        (column) =>
          column.heading === heading ||
          (column.interval !== undefined && intervalHeading(column) === heading),
      );
    for (const heading of inFiles) expect([heading, known(heading).length]).toEqual([heading, 1]);

    const page = parsed(html.render({ state, report }).content);
    const window = [CacheTable, ChecksTable, EffortTable, ComposingTable, SequenceTable, StreamTable]
      .map((Table) => <Table key="t" points={[point]} />)
      .concat(<PointsTable key="p" scenario="online" state={state.scenarios.online} />)
      .flatMap((element) => texts(parsed(written(element)), 'th.number'));
    const inReport = texts(
      page,
      '.sampling th.n[title], .intervals th.n[title], .detail th.n[title], .composing th.n[title]',
    );
    const printed = [
      pointTable([point]),
      certaintyTable([point]),
      cacheTable([point]),
      composingTable([point]),
    ]
      .flatMap((text) => (text ?? '').split('\n')[0]?.split(/ {2,}/) ?? [])
      .filter((title) => !/^(Level|±.*|Model)$/.test(title));
    const layout = new Set(['Responses', 'Requests per sequence', ...'p50,p90,p95,p99,avg,max'.split(',')]);
    for (const title of [...window, ...inReport, ...printed].filter((text) => !layout.has(text))) {
      const rows = new Set(
        table.filter((column) =>
          [column.title, titleWithUnit(column), levels.fromSend(column).title].includes(title),
        ),
      );
      // Of a level and of a model of its ensemble the same is called the same.
      const ofLevel = [...rows].filter((column) => ofLevels.includes(column));
      expect([title, Math.max(ofLevel.length, rows.size - ofLevel.length)]).toEqual([title, 1]);
    }
    expect(
      levelColumns('requestRate', [point], true).every((column) => table.some(({ id }) => id === column.id)),
    ).toBe(true);
  });

  it.each(['concurrency', 'requestRate'] as const)(
    'shows 500 random results by %s with the same texts in window, report, CLI, CSV and comparison',
    (sweep) => {
      fc.assert(
        fc.property(fc.array(fc.tuple(result, scheduled), { minLength: 250, maxLength: 250 }), (results) => {
          const points = results.map(([values, schedule], index) =>
            pointFixture({
              ...values,
              ...(sweep === 'requestRate'
                ? { requestRate: 1.5 + index, scheduled: schedule, concurrency: 64 }
                : { concurrency: index + 1 }),
            }),
          );
          const shown = shownOf(points, sweep);
          const seen = new Map<string, number>();
          for (const [surface, columns] of shown) {
            for (const [id, cells] of columns) {
              const column = ofLevels.find((known) => known.id === id);
              if (column === undefined) throw new Error(`${id} has no row`);
              // Words, such as those of the flags, are marks in the window.
              if (column.kind === 'text') continue;
              expect({ surface, id, cells }).toEqual({
                ...{ surface, id },
                cells: points.map((point) => cellText(column, point)),
              });
              seen.set(id, (seen.get(id) ?? 0) + 1);
            }
          }
          // Nothing that all of them show was looked for in vain.
          for (const { id } of [levels.throughput, ...levels.latencies, ...levels.components]) {
            expect([id, (seen.get(id) ?? 0) >= 4]).toEqual([id, true]);
          }
        }),
        // A counterexample of 250 levels says enough; to shrink it takes more memory than a process has.
        { numRuns: 2, endOnFailure: true },
      );
    },
    300_000,
  );
});
