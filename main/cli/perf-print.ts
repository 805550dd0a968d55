import type { LoadPoint } from '../contract/results';
import { levelText, togetherText } from '../contract/level-text';
import { achievedRate } from '../contract/sweep';
import { formatTable, milliseconds, perSecond } from './output';

/** Behind the latency from the send: that from the schedule; nothing of a closed loop. */
export function scheduledText({ scheduled }: LoadPoint): string {
  if (scheduled === undefined) return '';
  return `, from the schedule ${milliseconds(scheduled.p99Us)} ms, ${scheduled.delayedCount} delayed`;
}

/** With the model where several are measured. */
const levelName = (point: LoadPoint): string =>
  point.model === undefined ? levelText(point) : `${point.model}, ${levelText(point)}`;

/** One line of a measured level. */
export function pointLine(point: LoadPoint): string {
  const unverified = point.tls?.verified === false ? ' [TLS certificate not verified]' : '';
  const stream = point.streaming?.firstResponse ?? null;
  const first = stream === null ? '' : `, first response p99 ${milliseconds(stream.p99Us)} ms`;
  const flags = point.flags.length === 0 ? '' : ` [${point.flags.join(', ')}]`;
  const beside = togetherText(point);
  const together = beside === null ? '' : ` (together with ${beside})`;
  return `${levelName(point)}${together}: ${perSecond(point.inferencesPerSecond)} inferences/s, p99 ${milliseconds(point.p99Us)} ms${scheduledText(point)}${first}${flags}${unverified}`;
}

const closedColumns =
  'client send,network,queue,compute input,infer,output,client recv,p50,p90,p95,p99,avg'.split(',');
const openColumns = ['achieved', 'p50 due', 'p90 due', 'p95 due', 'p99 due', 'delayed'];

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
    open ? 'request rate' : 'concurrency',
    'inferences/s',
    ...closedColumns,
  ];
  const titles = further.map((column) => column.title);
  return formatTable([...header, ...(open ? openColumns : []), ...titles], rows);
}

function dueCells(point: LoadPoint): string[] {
  const { scheduled } = point;
  const achieved = perSecond(achievedRate(point));
  if (scheduled === undefined) return [achieved, ...openColumns.slice(1).map(() => '–')];
  const { p50Us, p90Us, p95Us, p99Us, delayedCount } = scheduled;
  return [achieved, ...[p50Us, p90Us, p95Us, p99Us].map(milliseconds), String(delayedCount)];
}

/** Of ensembles: what the server did for each of their models; null where no level is of an ensemble. Times in ms. */
export function composingTable(points: readonly LoadPoint[]): string | null {
  const rows = points.flatMap((point) =>
    (point.composing ?? []).map((model) => [
      levelName(point),
      model.modelVersion === '' ? model.modelName : `${model.modelName}/${model.modelVersion}`,
      text(model.requestCount),
      text(model.executionCount),
      ...[model.queueUs, model.computeInputUs, model.computeInferUs, model.computeOutputUs].map(milliseconds),
      text(model.cacheHitCount),
      text(model.cacheMissCount),
    ]),
  );
  if (rows.length === 0) return null;
  const header =
    'level,model,requests,executions,queue,compute input,infer,output,cache hits,cache misses'.split(',');
  return formatTable(header, rows);
}

/** Failed requests by level and kind; null where none failed. */
export function errorTable(points: readonly LoadPoint[]): string | null {
  const rows = points.flatMap((point) =>
    (point.errorsByKind ?? []).map(({ kind, count, message }) => [
      levelName(point),
      String(count),
      kind,
      message.slice(0, 200),
    ]),
  );
  return rows.length === 0 ? null : formatTable(['level', 'failed', 'kind', 'first message'], rows);
}

const text = (count: number | null): string => (count === null ? '–' : String(count));
