import type { LoadPoint } from '../contract/results';
import { marksOf } from '../contract/flag-text';
import { levelText, togetherText } from '../contract/level-text';
import { achievedRate } from '../contract/sweep';
import {
  exactMs,
  formatHalfWidth,
  formatCount,
  formatMeasured,
  formatMs,
  formatRate,
  formatTyped,
  missing,
} from '../contract/numbers';
import { formatTable } from './output';

/** Behind the latency from the send: that from the schedule; nothing of a closed loop. */
export function scheduledText({ scheduled }: LoadPoint): string {
  if (scheduled === undefined) return '';
  return `, from the schedule ${formatMs(scheduled.p99Us)} ms, ${scheduled.delayedCount} delayed`;
}

/** With the model where several are measured. */
export const levelName = (point: LoadPoint): string =>
  point.model === undefined ? levelText(point) : `${point.model}, ${levelText(point)}`;

/** Behind a value: half the width of its interval; nothing where it is not known. */
const halfWidth = (half: number | null | undefined, value: number): string =>
  half === null || half === undefined ? '' : ` ± ${formatHalfWidth(half, value)}`;

/** One line of a measured level. */
export function pointLine(point: LoadPoint): string {
  const unverified = point.tls?.verified === false ? ' [TLS certificate not verified]' : '';
  const stream = point.streaming?.firstResponse ?? null;
  const first = stream === null ? '' : `, first response p99 ${formatMs(stream.p99Us)} ms`;
  const marks = marksOf(point);
  const flags = marks.length === 0 ? '' : ` [${marks.join(', ')}]`;
  const beside = togetherText(point);
  const together = beside === null ? '' : ` (together with ${beside})`;
  const rate = `${formatRate(point.inferencesPerSecond)}${halfWidth(point.throughputIntervalIps, point.inferencesPerSecond)}`;
  const p99 = `${formatMs(point.p99Us)}${halfWidth(exactMs(point.p99IntervalUs), point.p99Us / 1000)}`;
  return `${levelName(point)}${together}: ${rate} inferences/s, p99 ${p99} ms${scheduledText(point)}${first}${flags}${unverified}`;
}

const openColumns = ['achieved', 'p50 due', 'p90 due', 'p95 due', 'p99 due', 'delayed'];

interface Column {
  readonly title: string;
  readonly cell: (point: LoadPoint) => string;
}

export const orDash = (value: number | null | undefined, show: (value: number) => string): string =>
  value === null || value === undefined ? missing : show(value);

const time = (title: string, us: (point: LoadPoint) => number | null | undefined): Column => ({
  title,
  cell: (point) => orDash(us(point), formatMs),
});

/** "±": half the width of the 95 % interval of the column before it. */
const valueColumns: readonly Column[] = [
  { title: 'inferences/s', cell: ({ inferencesPerSecond }) => formatRate(inferencesPerSecond) },
  { title: '±', cell: (point) => formatHalfWidth(point.throughputIntervalIps, point.inferencesPerSecond) },
  {
    title: 'server batch',
    cell: ({ meanServerBatch }) => orDash(meanServerBatch, (mean) => formatMeasured(mean)),
  },
  time('client send', ({ clientSendUs }) => clientSendUs),
  time('network', ({ networkServerSendRecvUs }) => networkServerSendRecvUs),
  time('queue', ({ serverQueueUs }) => serverQueueUs),
  time('compute input', ({ serverComputeInputUs }) => serverComputeInputUs),
  time('infer', ({ serverComputeInferUs }) => serverComputeInferUs),
  time('output', ({ serverComputeOutputUs }) => serverComputeOutputUs),
  time('client recv', ({ clientRecvUs }) => clientRecvUs),
  time('p50', ({ p50Us }) => p50Us),
  time('p90', ({ p90Us }) => p90Us),
  time('p95', ({ p95Us }) => p95Us),
  time('p99', ({ p99Us }) => p99Us),
  { title: '±', cell: (point) => formatHalfWidth(exactMs(point.p99IntervalUs), point.p99Us / 1000) },
  time('avg', ({ avgUs }) => avgUs),
];

/** Of levels over a stream: answers a request, and when the first, each further and the final one came. */
const streamColumns: readonly Column[] = [
  { title: 'responses/request', cell: ({ streaming }) => orDash(streaming?.responsesPerRequest, formatRate) },
  { title: 'responses/s', cell: ({ streaming }) => orDash(streaming?.responsesPerSecond, formatRate) },
  ...(['firstResponse', 'interResponse', 'finalResponse'] as const).flatMap((part) => {
    const name = { firstResponse: 'first', interResponse: 'between', finalResponse: 'final' }[part];
    return (['p50Us', 'p90Us', 'p95Us', 'p99Us'] as const).map((percent) => ({
      title: `${name} ${percent.slice(0, 3)}`,
      cell: ({ streaming }: LoadPoint) => orDash(streaming?.[part]?.[percent], formatMs),
    }));
  }),
];

const sequenceColumn: Column = {
  title: 'sequences/s',
  cell: ({ sequences }) => orDash(sequences?.endedPerSecond, formatRate),
};

/** Columns that only some levels have; none where no level does. */
function furtherColumns(points: readonly LoadPoint[]): readonly Column[] {
  return [
    ...(points.some((point) => point.sequences !== undefined) ? [sequenceColumn] : []),
    ...(points.some((point) => point.streaming !== undefined) ? streamColumns : []),
  ];
}

/** All columns of all levels; latencies from the schedule ("due") where there is one. Times in ms. */
export function pointTable(points: readonly LoadPoint[]): string {
  const further = furtherColumns(points);
  const open = points.some((point) => point.requestRate !== undefined);
  const several = points.some((point) => point.model !== undefined);
  const rows = points.map((point) => [
    ...(several ? [point.model ?? ''] : []),
    String(point.batchSize),
    point.requestRate === undefined ? formatCount(point.concurrency) : formatTyped(point.requestRate),
    ...valueColumns.map((column) => column.cell(point)),
    ...(open ? dueCells(point) : []),
    ...further.map((column) => column.cell(point)),
  ]);
  const header = [
    ...(several ? ['model'] : []),
    'batch',
    open ? 'request rate' : 'concurrency',
    ...valueColumns.map(({ title }) => title),
  ];
  const titles = further.map(({ title }) => title);
  return formatTable([...header, ...(open ? openColumns : []), ...titles], rows);
}

function dueCells(point: LoadPoint): string[] {
  const { scheduled } = point;
  const achieved = formatRate(achievedRate(point));
  if (scheduled === undefined) return [achieved, ...openColumns.slice(1).map(() => missing)];
  const { p50Us, p90Us, p95Us, p99Us, delayedCount } = scheduled;
  return [achieved, ...[p50Us, p90Us, p95Us, p99Us].map(formatMs), String(delayedCount)];
}
