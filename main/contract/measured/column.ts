import {
  exactMs,
  exactRate,
  formatBytes,
  formatCount,
  formatDuration,
  formatHalfWidth,
  formatMs,
  formatRate,
  formatShare,
  formatTyped,
  missing,
} from '../numbers';
import type { LoadPoint, Repeats } from './results';

/** `duration`: of a request, in ms; `rate`: and every other measured value; `spent`: wall time; `typed`: asked for, not measured. */
type ColumnKind = 'duration' | 'rate' | 'count' | 'share' | 'spent' | 'bytes' | 'typed' | 'text';

type Value = number | string | null | undefined;

/** A column of the measured levels, or of a part of them: everything that a table, a chart and a file need to show it. */
export interface Column<Of = LoadPoint> {
  readonly id: string;
  /** In files: of the published result tables bit for bit, of all others as in the first version; null: not in a file. */
  readonly heading: string | null;
  readonly title: string;
  /** Where there is little room, below a heading that says the rest; the title where absent. */
  readonly short?: string;
  /** One sentence: what it is. */
  readonly help: string;
  /** '' where the title says it, or there is none. */
  readonly unit: string;
  readonly kind: ColumnKind;
  /** Microseconds, 0 to 1, bytes; null or undefined: not known. */
  readonly read: (of: Of) => Value;
  /** Half the width of the 95 % interval, as `read`. */
  readonly interval?: (of: Of) => number | null;
  /** Smallest and largest of the repeats, as `read`. */
  readonly range?: (repeats: Repeats) => { readonly min: number; readonly max: number } | undefined;
  /** Something to look at: wrong responses, a certificate that nobody checked. */
  readonly doubtful?: (of: Of) => boolean;
}

const textOf = {
  duration: formatMs,
  rate: formatRate,
  count: formatCount,
  share: formatShare,
  spent: formatDuration,
  bytes: formatBytes,
  typed: formatTyped,
  text: () => missing,
} as const;

/** A value of a column for people, without its unit. */
export const valueText = ({ kind }: { readonly kind: ColumnKind }, value: Value): string =>
  typeof value === 'string' ? value : textOf[kind](value);

/** The cell of a column, the same in window, report and command line. */
export const cellText = <Of>(column: Column<Of>, of: Of): string => valueText(column, column.read(of));

function exact(kind: ColumnKind, value: number | null | undefined): number | null {
  if (kind === 'duration') return exactMs(value);
  return kind === 'rate' ? exactRate(value) : (value ?? null);
}

/** The cell for files: what people see before it is rounded. */
export function exactValue<Of>({ kind, read }: Column<Of>, of: Of): number | string | null {
  const value = read(of);
  return typeof value === 'string' ? value : exact(kind, value);
}

const inUnit = (kind: ColumnKind, value: Value): number | null =>
  typeof value === 'number' ? (kind === 'duration' ? value / 1000 : value) : null;

/** The number of a cell for charts, in the unit of the column; null where there is none: a gap, never a zero. */
export const numberOf =
  <Of>({ kind, read }: Column<Of>) =>
  (of: Of): number | null =>
    inUnit(kind, read(of));

/** Half the width of the interval for charts; null where it is not known. */
export const intervalOf =
  <Of>({ kind, interval }: Column<Of>) =>
  (of: Of): number | null =>
    inUnit(kind, interval?.(of));

/** Half the width of the interval for files; null where it is not known. */
export const exactHalfWidth = <Of>({ kind, interval }: Column<Of>, of: Of): number | null =>
  exact(kind, interval?.(of));

/** Half the width of the interval for people. */
export function halfWidthText<Of>(column: Column<Of>, of: Of): string {
  const value = exactValue(column, of);
  return formatHalfWidth(exactHalfWidth(column, of), typeof value === 'number' ? value : null);
}

/** A value with half the width of its interval, where it is known: "12.00 ± 0.40". */
export function withHalfWidth<Of>(column: Column<Of>, of: Of): string {
  const half = halfWidthText(column, of);
  return half === missing ? cellText(column, of) : `${cellText(column, of)} ± ${half}`;
}

/** "1.20–1.31" of repeats; null where there is no range. */
export function rangeText(column: Column, { repeats }: LoadPoint): string | null {
  const range = repeats === undefined ? undefined : column.range?.(repeats);
  return range === undefined ? null : `${valueText(column, range.min)}–${valueText(column, range.max)}`;
}

/** The title of a column that stands alone: "p99 (ms)". */
export const titleWithUnit = ({ title, unit }: Pick<Column, 'title' | 'unit'>): string =>
  unit === '' ? title : `${title} (${unit})`;

/** Heading of the half widths in files: "p99 latency +/- (ms)". */
export const intervalHeading = ({ heading }: Column): string =>
  (heading ?? '').replace(/( \(ms\))?$/, ' +/-$1');
