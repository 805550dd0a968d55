import type { Column } from '../contract/column';
import { cellText, halfWidthText, withHalfWidth } from '../contract/column';
import {
  achieved,
  batchSize,
  components,
  delayed,
  latencies,
  loadOf,
  meanBatch,
  ownLoad,
  p99,
  scheduled,
  throughput,
} from '../contract/columns';
import { model, partsOf, responseRates, responseTimes, sequenceRate } from '../contract/detail-columns';
import { marksOf } from '../contract/flag-text';
import { levelText, togetherText } from '../contract/level-text';
import { formatMs } from '../contract/numbers';
import type { LoadPoint } from '../contract/results';
import { formatTable } from './output';

/** Behind the latency from the send: that from the schedule; nothing of a closed loop. */
export function scheduledText({ scheduled }: LoadPoint): string {
  if (scheduled === undefined) return '';
  return `, from the schedule ${formatMs(scheduled.p99Us)} ms, ${scheduled.delayedCount} delayed`;
}

/** With the model where several are measured. */
export const levelName = (point: LoadPoint): string =>
  point.model === undefined ? levelText(point) : `${point.model}, ${levelText(point)}`;

/** One line of a measured level. */
export function pointLine(point: LoadPoint): string {
  const unverified = point.tls?.verified === false ? ' [TLS certificate not verified]' : '';
  const stream = point.streaming?.firstResponse ?? null;
  const first = stream === null ? '' : `, first response p99 ${formatMs(stream.p99Us)} ms`;
  const marks = marksOf(point);
  const flags = marks.length === 0 ? '' : ` [${marks.join(', ')}]`;
  const beside = togetherText(point);
  const together = beside === null ? '' : ` (together with ${beside})`;
  return `${levelName(point)}${together}: ${withHalfWidth(throughput, point)} inferences/s, p99 ${withHalfWidth(p99, point)} ms${scheduledText(point)}${first}${flags}${unverified}`;
}

interface Cell {
  readonly title: string;
  readonly text: (point: LoadPoint) => string;
}

const cellOf = (column: Column): Cell => ({
  title: column.title,
  text: (point) => cellText(column, point),
});

/** A column with half the width of its interval behind it, where the table has room for it. */
const withInterval = (column: Column): readonly Cell[] => [
  cellOf(column),
  ...(column === throughput || column === p99
    ? [{ title: '±', text: (point: LoadPoint) => halfWidthText(column, point) }]
    : []),
];

const isPercentile = ({ short }: Column): boolean => short !== 'avg' && short !== 'max';

/** All columns of all levels; latencies from the schedule where there is one. Times in ms. */
export function pointTable(points: readonly LoadPoint[]): string {
  const open = points.some((point) => point.requestRate !== undefined);
  const several = points.some((point) => point.model !== undefined);
  const times = responseTimes.flatMap(({ columns }) => columns.filter(isPercentile));
  const cells: readonly Cell[] = [
    ...(several ? [cellOf(model)] : []),
    cellOf(batchSize),
    {
      title: loadOf(open ? 'requestRate' : 'concurrency').title,
      text: (point) => cellText(ownLoad(point), point),
    },
    ...withInterval(throughput),
    ...[meanBatch, ...components].map(cellOf),
    ...latencies.flatMap(withInterval),
    ...(open ? [achieved, ...scheduled.filter(isPercentile), delayed] : []).map(cellOf),
    ...partsOf(points, [
      ['sequences', [sequenceRate]],
      ['streaming', [...responseRates, ...times]],
    ]).map(cellOf),
  ];
  return formatTable(
    cells.map(({ title }) => title),
    points.map((point) => cells.map(({ text }) => text(point))),
  );
}
