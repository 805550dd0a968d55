import type { LoadPoint } from '../contract/results';
import { csvText } from './csv';
import type { CsvValue } from './csv';
import type { DetailColumn } from './detail-columns';
import { detailColumnsOf } from './detail-columns';
import type { LoadColumn } from './load-columns';
import { loadColumnsOf, scheduleColumns } from './load-columns';
import { streamColumnsOf } from './stream-columns';
import type { StreamColumn } from './stream-columns';
import type { ReportLevel, ReportScenario, Verification } from './report';

const extraHeadings = [
  'Request Count',
  'Error Count',
  'Steady',
  'Flags',
  'Load Tool',
  'Protocol',
  'Verified',
] as const;

/** Milliseconds to the microsecond; throughput to nine digits: nobody can measure finer. */
function exact(column: LoadColumn, point: LoadPoint): number | null {
  const value = column.read(point);
  if (value === null) return null;
  switch (column.kind) {
    case 'load':
    case 'rate':
      return value;
    case 'throughput':
      return Number(value.toPrecision(9));
    case 'component':
    case 'latency':
      return Number((value / 1000).toFixed(3));
  }
}

function further(column: StreamColumn, point: LoadPoint): number | null {
  const value = column.read(point);
  if (value === null) return null;
  return column.kind === 'latency' ? Number((value / 1000).toFixed(3)) : Number(value.toPrecision(9));
}

function cells(
  columns: readonly LoadColumn[],
  level: ReportLevel,
  verified: string,
  streams: readonly StreamColumn[],
  details: readonly DetailColumn[],
): CsvValue[] {
  const { point } = level;
  const flags = level.marks.join('; ');
  if (point === null) {
    const load = [level.batchSize, level.requestRate ?? level.concurrency];
    return [
      ...columns.map((_column, index) => load[index] ?? null),
      null,
      null,
      null,
      flags,
      null,
      null,
      null,
      ...streams.map(() => null),
      ...details.map(() => null),
    ];
  }
  return [
    ...columns.map((column) => exact(column, point)),
    point.requestCount,
    point.errorCount,
    level.steady ? 'yes' : 'no',
    flags,
    point.loadTool,
    point.protocol,
    verified,
    ...streams.map((column) => further(column, point)),
    ...details.map((column) => column.read(point)),
  ];
}

/**
 * The seeds' columns, of request rates also those from the schedule, and how far each row can be trusted; a level without a
 * result is a row without numbers. Sequences, streams, intervals, the cache, checks, TLS and models measured together add
 * columns of their own.
 */
export function loadCsv(scenario: ReportScenario, verification: Verification): string {
  const verified = verification.verified ? 'verified' : 'unverified';
  const more = scenario.sweep === 'requestRate' ? scheduleColumns : [];
  const columns = [...loadColumnsOf(scenario.sweep), ...more];
  const points = scenario.rows.map(({ point }) => point);
  const streams = streamColumnsOf(points);
  const details = detailColumnsOf(points);
  const named = (some: readonly { readonly heading: string }[]) => some.map(({ heading }) => heading);
  return csvText(
    [
      ...named(columns),
      ...extraHeadings,
      ...named(streams),
      ...named(details),
      ...(scenario.budget === null ? [] : [scenario.budget.heading]),
    ],
    scenario.rows.map((level, index) => [
      ...cells(columns, level, verified, streams, details),
      ...(scenario.budget === null ? [] : [scenario.budget.cells[index] ?? null]),
    ]),
  );
}
