import type { Column } from '../contract/column';
import { cellText, halfWidthText, titleWithUnit } from '../contract/column';
import { latencies } from '../contract/columns';
import { cache, client, composing, composingName } from '../contract/detail-columns';
import { formatCount } from '../contract/numbers';
import type { LoadPoint } from '../contract/results';
import { formatTable } from './output';
import { levelName } from './perf-print';

/** Rows of the levels that have any; null where none has. */
function levelTable(
  points: readonly LoadPoint[],
  titles: readonly string[],
  rowsOf: (point: LoadPoint) => readonly (readonly string[])[],
): string | null {
  const rows = points.flatMap((point) => rowsOf(point).map((row) => [levelName(point), ...row]));
  return rows.length === 0 ? null : formatTable(['Level', ...titles], rows);
}

const titlesOf = <Of>(columns: readonly Column<Of>[]) => columns.map(titleWithUnit);
const cellsOf = <Of>(columns: readonly Column<Of>[], of: Of) => columns.map((column) => cellText(column, of));

const withoutP99 = latencies.filter(({ id }) => id !== 'p99');

/**
 * How sure the latencies are that have no such column beside them, and what the load generator took for it; null where no
 * level says any of it.
 */
export const certaintyTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, [...titlesOf(withoutP99).map((title) => `± ${title}`), ...titlesOf(client)], (point) =>
    point.latencyIntervals === undefined && point.client === undefined
      ? []
      : [[...withoutP99.map((column) => halfWidthText(column, point)), ...cellsOf(client, point)]],
  );

/** What the server's response cache did; null where it counted nothing at any level. */
export const cacheTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, titlesOf(cache), (point) => (point.cache === undefined ? [] : [cellsOf(cache, point)]));

/** Of ensembles: what the server did for each of their models; null where no level is of an ensemble. */
export const composingTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, ['Model', ...titlesOf(composing)], (point) =>
    (point.composing ?? []).map((part) => [composingName(part), ...cellsOf(composing, part)]),
  );

/** Failed requests by level and kind; null where none failed. */
export const errorTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, ['Failed requests', 'Kind', 'First message'], (point) =>
    (point.errorsByKind ?? []).map(({ kind, count, message }) => [
      formatCount(count),
      kind,
      message.slice(0, 200),
    ]),
  );
