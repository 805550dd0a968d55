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
import type { Verification } from '../contract/run/run-outcome';
import { type Sweep, sweepOf } from '../contract/run/sweep';
import type { ReportLevel, ReportScenario } from './report';

/** A text is quoted and made inert, a number is written bare, null is an empty cell. */
export type CsvValue = string | number | null;

/**
 * A spreadsheet takes a text for a formula when it begins with one of these, also behind blanks and invisible
 * characters, and in the full-width form. Apostrophes in front are looked through, so that taking one away again gives
 * back exactly the text that was put in.
 */
const formulaStart = /^'*(?:[\t\r\n\0]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;

const plainNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;

/** Text that no spreadsheet executes. */
export function inertText(text: string): string {
  return formulaStart.test(text) ? `'${text}` : text;
}

/** Digits of a number; nothing for what is not finite. */
export function numberText(value: number): string {
  const text = String(value);
  return plainNumber.test(text) ? text : '';
}

/** RFC 4180: CRLF, every text quoted, numbers bare. */
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

/** A table with the columns that have a heading in files. */
export function csvOf<Of>(all: readonly Column<Of>[], rows: readonly Of[]): string {
  const columns = all.filter(({ heading }) => heading !== null);
  return csvText(
    columns.map(({ heading }) => heading ?? ''),
    rows.map((row) => columns.map((column) => exactValue(column, row))),
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

/** Streams and sequences, intervals, the cache, checks, TLS and models measured together: where a level has any. */
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

/** The same columns for levels that belong to no run: those of `perf`. Of several models the first column says which. */
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

/**
 * The published columns, of request rates also those from the schedule, and how far each row can be trusted; a level without
 * a result is a row without numbers.
 */
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
