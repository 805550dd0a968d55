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
import type { Spread } from './spread';

/** `duration`: of a request, in ms; `rate`: and other measured values; `spent`: wall time; `typed`: a setting, not measured. */
type ColumnKind = 'duration' | 'rate' | 'count' | 'share' | 'spent' | 'bytes' | 'typed' | 'text';

type Value = number | string | null | undefined;

/** A column of measured levels, or of a part of them: all that tables, charts and files need. */
export interface Column<Of = LoadPoint> {
  readonly id: string;
  /** Heading in files: the published tables' own where they have the column; null: not in files. */
  readonly heading: string | null;
  readonly title: string;
  /** Title where a group heading says the rest; absent: `title`. */
  readonly short?: string;
  readonly help: string;
  /** '' where the title says it, or there is none. */
  readonly unit: string;
  readonly kind: ColumnKind;
  /** Microseconds, 0 to 1, bytes; null or undefined: not known. */
  readonly read: (of: Of) => Value;
  /** Half-width of the 95 % interval, in the unit of `read`. */
  readonly interval?: (of: Of) => number | null;
  /** Smallest and largest of the repeats, in the unit of `read`. */
  readonly range?: (repeats: Repeats) => { readonly min: number; readonly max: number } | undefined;
  /** Needs attention: wrong responses, an unverified certificate. */
  readonly doubtful?: (of: Of) => boolean;
}

const spreadNames = ['p50', 'p90', 'p95', 'p99', 'avg', 'max'] as const;
type SpreadName = (typeof spreadNames)[number];

type Measure = Pick<Column, 'unit' | 'kind'>;
export const ms: Measure = { unit: 'ms', kind: 'duration' };
export const rate: Measure = { unit: '', kind: 'rate' };
export const count: Measure = { unit: '', kind: 'count' };
export const share: Measure = { unit: '', kind: 'share' };
export const text: Measure = { unit: '', kind: 'text' };

/** The names of a column, in the order of `Column`, with its unit and kind. */
export const named = (id: string, heading: string | null, title: string, measure: Measure) => ({
  id,
  heading,
  title,
  ...measure,
});

/** Percentiles, mean and maximum of one time; `files` are those with a heading for files. */
export const spreadColumns = (
  {
    id,
    heading,
    title,
    help,
    files = spreadNames,
  }: {
    readonly id: string;
    readonly heading: string;
    readonly title: string;
    readonly help: string;
    readonly files?: readonly SpreadName[];
  },
  read: (point: LoadPoint) => Spread | null | undefined,
) => ({
  title,
  help: `${help}.`,
  columns: spreadNames.map((name): Column => ({
    ...named(
      `${id}-${name}`,
      files.includes(name) ? `${heading} ${name} (ms)` : null,
      `${title} ${name}`,
      ms,
    ),
    short: name,
    help: `${help}: ${name}.`,
    read: (point) => read(point)?.[`${name}Us`],
  })),
});

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

export const cellText = <Of>(column: Column<Of>, of: Of): string => valueText(column, column.read(of));

function exact(kind: ColumnKind, value: number | null | undefined): number | null {
  if (kind === 'duration') return exactMs(value);
  return kind === 'rate' ? exactRate(value) : (value ?? null);
}

/** The value for files, before rounding. */
export function exactValue<Of>({ kind, read }: Column<Of>, of: Of): number | string | null {
  const value = read(of);
  return typeof value === 'string' ? value : exact(kind, value);
}

const inUnit = (kind: ColumnKind, value: Value): number | null =>
  typeof value === 'number' ? (kind === 'duration' ? value / 1000 : value) : null;

/** The number for charts, in the column's unit; null (a gap) where there is none. */
export const numberOf =
  <Of>({ kind, read }: Column<Of>) =>
  (of: Of): number | null =>
    inUnit(kind, read(of));

export const intervalOf =
  <Of>({ kind, interval }: Column<Of>) =>
  (of: Of): number | null =>
    inUnit(kind, interval?.(of));

/** Half-width of the interval for files; null where it is not known. */
export const exactHalfWidth = <Of>({ kind, interval }: Column<Of>, of: Of): number | null =>
  exact(kind, interval?.(of));

export function halfWidthText<Of>(column: Column<Of>, of: Of): string {
  const value = exactValue(column, of);
  return formatHalfWidth(exactHalfWidth(column, of), typeof value === 'number' ? value : null);
}

/** "12.00 ± 0.40", or the value without a known interval. */
export function withHalfWidth<Of>(column: Column<Of>, of: Of): string {
  const half = halfWidthText(column, of);
  return half === missing ? cellText(column, of) : `${cellText(column, of)} ± ${half}`;
}

/** "1.20–1.31" of repeats; null without a range. */
export function rangeText(column: Column, { repeats }: LoadPoint): string | null {
  const range = repeats === undefined ? undefined : column.range?.(repeats);
  return range === undefined ? null : `${valueText(column, range.min)}–${valueText(column, range.max)}`;
}

/** "p99 (ms)". */
export const titleWithUnit = ({ title, unit }: Pick<Column, 'title' | 'unit'>): string =>
  unit === '' ? title : `${title} (${unit})`;

/** "p99 latency +/- (ms)". */
export const intervalHeading = ({ heading }: Column): string =>
  (heading ?? '').replace(/( \(ms\))?$/, ' +/-$1');
