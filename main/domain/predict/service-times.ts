/** Execution time of one batch while this many instances were busy, itself included. */
export interface ServiceTimePoint {
  readonly batch: number;
  /** Mean during the execution, at least 1. */
  readonly busyInstances: number;
  /** Compute input, infer and output of the batch, microseconds. */
  readonly computeUs: number;
}

export interface ServiceTable {
  timeUs(batch: number, busy: number): number;
  /** Outside the measured range, hence extrapolated. */
  isOutside(batch: number, busy: number): boolean;
}

interface Row {
  readonly busy: number;
  /** Each batch once, ascending. */
  readonly points: readonly { readonly batch: number; readonly us: number }[];
}

interface Cell {
  readonly us: number;
  readonly isOutside: boolean;
}

/** Means over a level are fractional: within a quarter they count as equal. */
const sameBusy = 0.25;

function rowsOf(points: readonly ServiceTimePoint[]): readonly Row[] {
  const groups = new Map<number, Map<number, number[]>>();
  for (const { batch, busyInstances, computeUs } of points) {
    const busy = Math.max(1, Math.round(busyInstances / (2 * sameBusy)) * 2 * sameBusy);
    const group = groups.get(busy) ?? new Map<number, number[]>();
    groups.set(busy, group.set(batch, [...(group.get(batch) ?? []), computeUs]));
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [...groups]
    .map(([busy, group]) => ({
      busy,
      points: [...group]
        .map(([batch, values]) => ({ batch, us: mean(values) }))
        .sort((a, b) => a.batch - b.batch),
    }))
    .sort((a, b) => a.busy - b.busy);
}

const between = (from: number, to: number, share: number): number => from + (to - from) * share;

/** Interpolates between neighboring batches, or extrapolates the last two. */
function inRow({ points }: Row, batch: number): Cell {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return { us: NaN, isOutside: true };
  if (batch < first.batch) return { us: first.us, isOutside: true };
  const above = points.findIndex((point) => point.batch >= batch);
  const to = points[above === -1 ? points.length - 1 : above] ?? last;
  if (to.batch === batch) return { us: to.us, isOutside: false };
  const from = points[points.indexOf(to) - 1];
  // With one measured batch, cost is proportional to rows.
  if (from === undefined) return { us: (to.us * batch) / to.batch, isOutside: true };
  const us = between(from.us, to.us, (batch - from.batch) / (to.batch - from.batch));
  return { us: Math.max(us, first.us), isOutside: above === -1 };
}

/** A batch not measured at this busyness: one instance's time, scaled by others' slowdown. */
function inRows(rows: readonly Row[], row: Row, batch: number): Cell {
  const own = inRow(row, batch);
  if (!own.isOutside) return own;
  const covering = rows
    .filter((other) => !inRow(other, batch).isOutside)
    .sort((a, b) => Math.abs(a.busy - row.busy) - Math.abs(b.busy - row.busy))[0];
  if (covering === undefined) return own;
  const batches = row.points.map((point) => point.batch);
  const nearest = batches.reduce((a, b) => (Math.abs(b - batch) < Math.abs(a - batch) ? b : a));
  const factor = inRow(row, nearest).us / inRow(covering, nearest).us;
  return { us: inRow(covering, batch).us * factor, isOutside: true };
}

function cellOf(rows: readonly Row[], batch: number, busy: number): Cell {
  const below = rows.findLast((row) => row.busy <= busy);
  const above = rows.find((row) => row.busy >= busy);
  const [low, high] = [below ?? above, above ?? below];
  if (low === undefined || high === undefined) return { us: NaN, isOutside: true };
  const from = inRows(rows, low, batch);
  if (low === high) {
    return { us: from.us, isOutside: from.isOutside || Math.abs(low.busy - busy) > sameBusy };
  }
  const to = inRows(rows, high, batch);
  const share = (busy - low.busy) / (high.busy - low.busy);
  return { us: between(from.us, to.us, share), isOutside: from.isOutside || to.isOutside };
}

/** Interpolates linearly, extrapolates outside, to `maxBatch` and `instances`. Throws a RangeError without points. */
export function serviceTable(
  points: readonly ServiceTimePoint[],
  maxBatch: number,
  instances: number,
): ServiceTable {
  if (points.length === 0) throw new RangeError('No service time was measured');
  const rows = rowsOf(points);
  const cells: Cell[] = [];
  for (let busy = 1; busy <= instances; busy += 1) {
    for (let batch = 1; batch <= maxBatch; batch += 1) cells.push(cellOf(rows, batch, busy));
  }
  const times = Float64Array.from(cells, ({ us }) => us);
  const outside = Uint8Array.from(cells, (cell) => (cell.isOutside ? 1 : 0));
  const at = (batch: number, busy: number) =>
    (Math.min(busy, instances) - 1) * maxBatch + Math.min(batch, maxBatch) - 1;
  return {
    timeUs: (batch, busy) => times[at(batch, busy)] ?? NaN,
    isOutside: (batch, busy) => outside[at(batch, busy)] === 1,
  };
}
