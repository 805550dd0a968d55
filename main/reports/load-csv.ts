import { type Column, exactHalfWidth, exactValue, intervalHeading } from '../contract/measured/column';
import {
  batchSize,
  flags,
  latencies,
  loadOf,
  publishedColumns,
  scheduleColumns,
  throughput,
  trust,
} from '../contract/measured/columns';
import { partsInFiles, partsOf, streamColumns } from '../contract/measured/detail-columns';
import type { LoadPoint } from '../contract/measured/results';
import type { Verification } from '../contract/run/run-outcome';
import { type Sweep, sweepOf } from '../contract/run/sweep';
import { csvText, type CsvValue } from './csv';
import type { ReportLevel, ReportScenario } from './report';

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
  const { sweep, rows, budget } = scenario;
  const verified = verification.verified ? 'verified' : 'unverified';
  const load = loadOf(sweep);
  const holes = new Map<string | null, (level: ReportLevel) => CsvValue>([
    [batchSize.heading, (level) => level.batchSize],
    [load.heading, (level) => level.requestRate ?? level.concurrency],
    [flags.heading, (level) => level.marks.join('; ')],
  ]);
  const columns = [
    ...measuredColumns(sweep),
    { heading: 'Verified', read: () => verified },
    ...furtherColumns(rows.flatMap(({ point }) => point ?? [])),
  ];
  return csvText(
    [...columns.map(({ heading }) => heading), ...(budget === null ? [] : [budget.heading])],
    rows.map((level, index) => [
      ...columns.map(({ heading, read }) =>
        level.point === null ? (holes.get(heading)?.(level) ?? null) : read(level.point),
      ),
      ...(budget === null ? [] : [budget.cells[index] ?? null]),
    ]),
  );
}
