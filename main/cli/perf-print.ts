import type { LoadPoint } from '../contract/results';
import { levelText } from '../contract/level-text';
import { formatTable, milliseconds, perSecond } from './output';

/** One line of a measured level. */
export function pointLine(point: LoadPoint): string {
  const fromSchedule =
    point.scheduled === undefined
      ? ''
      : `, from the schedule ${milliseconds(point.scheduled.p99Us)} ms, ${point.scheduled.delayedCount} delayed`;
  const unverified = point.tls?.verified === false ? ' [TLS certificate not verified]' : '';
  const stream = point.streaming?.firstResponse ?? null;
  const first = stream === null ? '' : `, first response p99 ${milliseconds(stream.p99Us)} ms`;
  const flags = point.flags.length === 0 ? '' : ` [${point.flags.join(', ')}]`;
  const name = point.model === undefined ? '' : `${point.model}, `;
  const beside = (point.together ?? []).map((other) => `${other.model} at ${levelText(other)}`);
  const together = beside.length === 0 ? '' : ` (together with ${beside.join('; ')})`;
  return `${name}${levelText(point)}${together}: ${perSecond(point.inferencesPerSecond)} inferences/s, p99 ${milliseconds(point.p99Us)} ms${fromSchedule}${first}${flags}${unverified}`;
}

const closedColumns =
  'client send,network,queue,compute input,infer,output,client recv,p50,p90,p95,p99,avg'.split(',');
const openColumns = ['p50 due', 'p90 due', 'p95 due', 'p99 due', 'delayed'];

interface Column {
  readonly title: string;
  readonly cell: (point: LoadPoint) => string;
}

const orDash = (value: number | null | undefined, show: (value: number) => string): string =>
  value === null || value === undefined ? '–' : show(value);

/** Of levels over a stream: answers a request, and when the first, each further and the final one came. */
const streamColumns: readonly Column[] = [
  { title: 'responses/request', cell: ({ streaming }) => orDash(streaming?.responsesPerRequest, perSecond) },
  { title: 'responses/s', cell: ({ streaming }) => orDash(streaming?.responsesPerSecond, perSecond) },
  ...(['firstResponse', 'interResponse', 'finalResponse'] as const).flatMap((part) => {
    const name = { firstResponse: 'first', interResponse: 'between', finalResponse: 'final' }[part];
    return (['p50Us', 'p90Us', 'p95Us', 'p99Us'] as const).map((percent) => ({
      title: `${name} ${percent.slice(0, 3)}`,
      cell: ({ streaming }: LoadPoint) => orDash(streaming?.[part]?.[percent], milliseconds),
    }));
  }),
];

const sequenceColumn: Column = {
  title: 'sequences/s',
  cell: ({ sequences }) => orDash(sequences?.endedPerSecond, perSecond),
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
    point.requestRate === undefined ? String(point.concurrency) : perSecond(point.requestRate),
    perSecond(point.inferencesPerSecond),
    ...[
      point.clientSendUs,
      point.networkServerSendRecvUs,
      point.serverQueueUs,
      point.serverComputeInputUs,
      point.serverComputeInferUs,
      point.serverComputeOutputUs,
      point.clientRecvUs,
      point.p50Us,
      point.p90Us,
      point.p95Us,
      point.p99Us,
      point.avgUs,
    ].map(milliseconds),
    ...(open ? dueCells(point) : []),
    ...further.map((column) => column.cell(point)),
  ]);
  const header = [
    ...(several ? ['model'] : []),
    'batch',
    open ? 'requests/s' : 'concurrency',
    'inferences/s',
    ...closedColumns,
  ];
  const titles = further.map((column) => column.title);
  return formatTable([...header, ...(open ? openColumns : []), ...titles], rows);
}

function dueCells({ scheduled }: LoadPoint): string[] {
  if (scheduled === undefined) return openColumns.map(() => '–');
  const { p50Us, p90Us, p95Us, p99Us, delayedCount } = scheduled;
  return [...[p50Us, p90Us, p95Us, p99Us].map(milliseconds), String(delayedCount)];
}
