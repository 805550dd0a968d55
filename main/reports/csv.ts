import { stringify } from 'csv-stringify/sync';
import { type Column, exactHalfWidth, exactValue, intervalHeading } from '../contract/measured/column';
import {
  batchSize,
  flags,
  latencies,
  loadOf,
  percentileColumns,
  publishedColumns,
  scheduleColumns,
  throughput,
  trust,
} from '../contract/measured/columns';
import { partsInFiles, partsOf, streamColumns } from '../contract/measured/detail-columns';
import type { LoadPoint } from '../contract/measured/results';
import { sliceColumns } from '../contract/measured/slice-columns';
import type { Verification } from '../contract/run/run-outcome';
import { type Sweep, sweepOf } from '../contract/run/sweep';
import { levelText } from '../contract/words';
import type { ReportLevel, ReportScenario } from './report';

/** Text is quoted and escaped, numbers are bare, null is an empty cell. */
export type CsvValue = string | number | null;

/**
 * Formula prefixes of spreadsheets, also after blanks, invisible characters, and in full-width form. Leading
 * apostrophes are skipped, so that removing one restores the text.
 */
const formulaStart = /^'*(?:[\t\r\n\0]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;

const plainNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;

/** Prefixes an apostrophe to formulas. */
export function inertText(text: string): string {
  return formulaStart.test(text) ? `'${text}` : text;
}

/** '' for non-finite numbers. */
export function numberText(value: number): string {
  const text = String(value);
  return plainNumber.test(text) ? text : '';
}

/** RFC 4180: CRLF, quoted text, bare numbers. */
export function csvText(header: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  return stringify(
    [header, ...rows].map((row) => [...row]),
    {
      record_delimiter: 'windows',
      quoted_string: true,
      cast: {
        string: (value) => inertText(value),
        number: (value) => ({
          value: numberText(value),
          quoted: false,
          quoted_string: false,
          quoted_empty: false,
        }),
      },
    },
  );
}

/** Columns with a heading for files. */
export function csvOf<Of>(all: readonly Column<Of>[], rows: readonly Of[]): string {
  const columns = all.filter(({ heading }) => heading !== null);
  return csvText(
    columns.map(({ heading }) => heading ?? ''),
    rows.map((row) => columns.map((column) => exactValue(column, row))),
  );
}

/** Results by time slice, of all levels that have them. */
export function slicesCsv(points: readonly LoadPoint[]): string {
  const rows = points.flatMap((point) =>
    (point.timeline?.slices ?? []).map((slice) => ({ level: levelText(point), slice })),
  );
  return csvText(
    ['Level', ...sliceColumns.map(({ heading }) => heading ?? '')],
    rows.map(({ level, slice }) => [level, ...sliceColumns.map((column) => exactValue(column, slice))]),
  );
}

interface FileColumn {
  readonly heading: string;
  readonly read: (point: LoadPoint) => CsvValue;
}

const inFile = (columns: readonly Column[]): readonly FileColumn[] =>
  columns.flatMap((column) =>
    column.heading === null
      ? []
      : { heading: column.heading, read: (point: LoadPoint) => exactValue(column, point) },
  );

const intervals = [throughput, ...latencies].map((column): FileColumn => ({
  heading: intervalHeading(column),
  read: (point) => exactHalfWidth(column, point),
}));

/** Optional columns, if any level has them: streams, sequences, intervals, cache, checks, TLS, several models. */
function furtherColumns(points: readonly LoadPoint[]): readonly FileColumn[] {
  return [
    ...inFile(percentileColumns(points)),
    ...inFile(streamColumns(points)),
    ...(points.some(({ latencyIntervals }) => latencyIntervals !== undefined) ? intervals : []),
    ...inFile(partsOf(points, partsInFiles)),
  ];
}

const measuredColumns = (sweep: Sweep): readonly FileColumn[] =>
  inFile([...publishedColumns(sweep), ...(sweep === 'requestRate' ? scheduleColumns : []), ...trust]);

/** The columns of `perf`; with several models the first is the name. */
export function pointsCsv(points: readonly LoadPoint[]): string {
  const sweep = sweepOf('online', points);
  const several = points.some(({ model }) => model !== undefined);
  const columns = [
    ...(several ? [{ heading: 'Model', read: ({ model }: LoadPoint) => model ?? null }] : []),
    ...measuredColumns(sweep),
    ...furtherColumns(points),
  ];
  return csvText(
    columns.map(({ heading }) => heading),
    points.map((point) => columns.map(({ read }) => read(point))),
  );
}

/** Published columns, scheduled latencies of request rates, and reliability; a level without a result is an empty row. */
export function loadCsv(scenario: ReportScenario, verification: Verification): string {
  const { sweep, rows } = scenario;
  const load = loadOf(sweep);
  const holes = new Map<string | null, (level: ReportLevel) => CsvValue>([
    [batchSize.heading, (level) => level.batchSize],
    [load.heading, (level) => level.requestRate ?? level.concurrency],
    [flags.heading, (level) => level.marks.join('; ')],
  ]);
  const columns = [
    ...measuredColumns(sweep),
    { heading: 'Accuracy', read: () => verification.label },
    ...furtherColumns(rows.flatMap(({ point }) => point ?? [])),
  ];
  return csvText(
    [...columns.map(({ heading }) => heading), 'Answer'],
    rows.map((level) => [
      ...columns.map(({ heading, read }) =>
        level.point === null ? (holes.get(heading)?.(level) ?? null) : read(level.point),
      ),
      level.answer === '' ? null : level.answer,
    ]),
  );
}
