import type { MonitorHistory, SeriesField } from '../../../main/contract/monitor/monitor-history';

const secondMs = 1000;
/** Seconds reserved for new samples. */
const spare = 900;
/** Columns kept: those of a page of charts. Models and GPUs that are not drawn any more make room. */
const mostColumns = 256;
/** Seconds at the end that may be sent again. */
const repeatedSeconds = 2;

interface Column<Values> {
  readonly generation: number;
  readonly fromMs: number;
  readonly values: Values;
  known: number;
}

/** Plotly shows times as if they were UTC; the reader's clock is not. */
export const localMs = (ms: number): number => ms - new Date(ms).getTimezoneOffset() * 60_000;

/** The moment that {@link localMs} made `local` of; of an hour that a clock has twice, the first. */
export function momentOf(local: number): Date {
  const at = new Date(local);
  const day = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()] as const;
  return new Date(...day, at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds(), at.getUTCMilliseconds());
}

/**
 * Series of a history as charts draw them, one point per second. Only the new end is read each second: copying a day of
 * thirteen series takes a tenth of a second. What is handed out stays as it is but for its last two seconds.
 */
class HistoryColumns {
  private readonly columns = new Map<string, Column<Float32Array>>();
  private clock: Column<Float64Array> | null = null;

  constructor(private readonly history: MonitorHistory) {}

  /** Milliseconds of the local clock, as plotly takes them. */
  times(fromMs: number, toMs: number): Float64Array {
    const { fromMs: start, count } = this.history.within(fromMs, toMs);
    if (!this.isOf(this.clock, start, count)) {
      const offset = localMs(start) - start;
      const values = Float64Array.from(
        { length: count + spare },
        (_unused, index) => start + offset + index * secondMs,
      );
      this.clock = { generation: this.history.generation, fromMs: start, values, known: count };
    }
    return this.clock.values.subarray(0, count);
  }

  /** Values times `factor`; NaN where there is none. */
  values(key: string, field: SeriesField, factor: number, fromMs: number, toMs: number): Float32Array {
    const { fromMs: start, count } = this.history.within(fromMs, toMs);
    const id = `${key} ${field}`;
    let column = this.columns.get(id) ?? null;
    if (!this.isOf(column, start, count)) {
      const values = new Float32Array(count + spare);
      column = { generation: this.history.generation, fromMs: start, values, known: 0 };
    }
    this.use(id, column);
    const from = Math.max(0, Math.min(column.known, count) - repeatedSeconds);
    const fresh = this.history.values(key, field, start + from * secondMs, toMs);
    for (let index = 0; index < fresh.length; index += 1) {
      column.values[from + index] = (fresh[index] ?? NaN) * factor;
    }
    column.known = Math.max(column.known, count);
    return column.values.subarray(0, count);
  }

  private use(id: string, column: Column<Float32Array>): void {
    this.columns.delete(id);
    this.columns.set(id, column);
    const [oldest] = this.columns.keys();
    if (this.columns.size > mostColumns && oldest !== undefined) this.columns.delete(oldest);
  }

  private isOf<Values extends ArrayLike<number>>(
    column: Column<Values> | null,
    fromMs: number,
    count: number,
  ): column is Column<Values> {
    return (
      column?.fromMs === fromMs &&
      column.generation === this.history.generation &&
      column.values.length >= count
    );
  }
}

const known = new WeakMap<MonitorHistory, HistoryColumns>();

export function columnsOf(history: MonitorHistory): HistoryColumns {
  const columns = known.get(history) ?? new HistoryColumns(history);
  known.set(history, columns);
  return columns;
}
