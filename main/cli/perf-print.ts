import type { LoadPoint } from '../contract/results';
import { levelText } from '../contract/level-text';
import { formatTable, milliseconds, perSecond } from './output';

/** One line of a measured level. */
export function pointLine(point: LoadPoint): string {
  const fromSchedule =
    point.scheduled === undefined
      ? ''
      : `, from the schedule ${milliseconds(point.scheduled.p99Us)} ms, ${point.scheduled.delayedCount} delayed`;
  const flags = point.flags.length === 0 ? '' : ` [${point.flags.join(', ')}]`;
  const name = point.model === undefined ? '' : `${point.model}, `;
  const beside = (point.together ?? []).map((other) => `${other.model} at ${levelText(other)}`);
  const together = beside.length === 0 ? '' : ` (together with ${beside.join('; ')})`;
  return `${name}${levelText(point)}${together}: ${perSecond(point.inferencesPerSecond)} inferences/s, p99 ${milliseconds(point.p99Us)} ms${fromSchedule}${flags}`;
}

const closedColumns =
  'client send,network,queue,compute input,infer,output,client recv,p50,p90,p95,p99,avg'.split(',');
const openColumns = ['p50 due', 'p90 due', 'p95 due', 'p99 due', 'delayed'];

/** All columns of all levels; latencies from the schedule ("due") where there is one. Times in ms. */
export function pointTable(points: readonly LoadPoint[]): string {
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
  ]);
  const header = [
    ...(several ? ['model'] : []),
    'batch',
    open ? 'requests/s' : 'concurrency',
    'inferences/s',
    ...closedColumns,
  ];
  return formatTable(open ? [...header, ...openColumns] : header, rows);
}

function dueCells({ scheduled }: LoadPoint): string[] {
  if (scheduled === undefined) return openColumns.map(() => '–');
  const { p50Us, p90Us, p95Us, p99Us, delayedCount } = scheduled;
  return [...[p50Us, p90Us, p95Us, p99Us].map(milliseconds), String(delayedCount)];
}
