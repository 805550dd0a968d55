import { cellText, type Column, rangeText, withHalfWidth } from '../../main/contract/measured/column';
import {
  achieved,
  delayed,
  latencies,
  p99,
  scheduled,
  throughput,
} from '../../main/contract/measured/columns';
import type { LoadPoint } from '../../main/contract/measured/results';
import { formatCount, formatMs, formatRate } from '../../main/contract/numbers';
import { isGrid } from '../../main/contract/run/sweep';
import { levelText } from '../../main/contract/words';
import { chartSigns, type ChartSymbol } from '../../main/domain/measured/chart-lines';
import { repeatsText } from '../../main/domain/measured/repeats';
import type { LiveWindow } from '../stores/open-run';
import { levelOf, signTrace, type SweepInput } from './chart';
import { doubtLines, symbolOf, wrapped } from './hover-text';
import type { Trace } from './trace';

export interface SeriesStyle {
  readonly name: string;
  readonly color: string;
  readonly symbol: string;
  readonly dash?: 'solid' | 'dot' | 'dash' | 'dashdot';
}

export const symbolNames: Readonly<Record<ChartSymbol, string>> = {
  circle: 'circle',
  square: 'square',
  diamond: 'diamond',
  triangle: 'triangle-up',
  pentagon: 'pentagon',
};

export function sortedPoints(input: Pick<SweepInput, 'scenario' | 'state'>): readonly LoadPoint[] {
  return input.state.points
    .map((measured) => measured.point)
    .sort((a, b) => levelOf(input.scenario, a) - levelOf(input.scenario, b));
}

function repeated(point: LoadPoint): string {
  const text = repeatsText(point.repeats);
  const [rate, tail] = [rangeText(throughput, point), rangeText(p99, point)];
  if (text === null || rate === null || tail === null) return '';
  return (
    `<br>${wrapped(`median of ${text}: ${rate} inferences/s,`)}` + `<br>${p99.title} ${tail} ${p99.unit}`
  );
}

/** "p99 12.30 ± 0.40", milliseconds; the interval where it is known. */
const titled =
  (point: LoadPoint) =>
  (column: Column): string =>
    `${column.title} ${withHalfWidth(column, point)}`;

export function pointText(point: LoadPoint): string {
  const count = point.requestCount === null ? '' : `<br>${formatCount(point.requestCount)} requests`;
  const errors = point.errorCount === 0 ? '' : `, ${formatCount(point.errorCount)} failed`;
  const rate = point.requestRate === undefined ? '' : `<br>${cellText(achieved, point)} requests/s achieved`;
  const [p50Due, p90Due, p95Due, p99Due] = scheduled.map(
    (column) => `${column.short ?? ''} ${cellText(column, point)}`,
  );
  const fromSchedule =
    point.scheduled === undefined
      ? '<br>from schedule: not known'
      : `<br>from schedule ${p50Due ?? ''} · ${p90Due ?? ''}` +
        `<br>${p95Due ?? ''} · ${p99Due ?? ''} ms, ${cellText(delayed, point)} delayed`;
  const [p50, p90, p95, last, avg] = latencies.map(titled(point));
  const ofRate = point.requestRate !== undefined;
  return [
    wrapped(levelText(point)),
    rate,
    `<br>${withHalfWidth(throughput, point)} inferences/s`,
    `<br>${ofRate ? 'from send ' : ''}${[avg, p50, p90].join(' · ')}`,
    `<br>${[p95, last].join(' · ')} ms`,
    ofRate ? fromSchedule : '',
    count,
    errors,
    repeated(point),
    ...doubtLines(point).map((line) => `<br>${line}`),
  ].join('');
}

export function sweepSeries(
  input: SweepInput,
  style: SeriesStyle,
  valueOf: (point: LoadPoint) => number | null,
  intervalOf?: (point: LoadPoint) => number | null,
  textOf: (point: LoadPoint) => string = pointText,
): Trace {
  const points = sortedPoints(input);
  return {
    type: 'scatter',
    mode: isGrid(input.scenario, points) ? 'markers' : 'lines+markers',
    name: style.name,
    x: points.map((point) => levelOf(input.scenario, point)),
    y: points.map((point) => valueOf(point) ?? NaN),
    line: { color: style.color, width: 1.75, dash: style.dash ?? 'solid' },
    marker: {
      color: style.color,
      size: 7,
      symbol: points.map((point) => symbolOf(point, style.symbol)),
      line: { width: 1.5, color: style.color },
    },
    hovertext: points.map(textOf),
    hoverinfo: 'text',
    ...errorBars(points, style, valueOf, intervalOf),
  };
}

function pale(color: string): string {
  const parts = /^#(..)(..)(..)$/.exec(color)?.slice(1);
  return parts === undefined
    ? color
    : `rgba(${parts.map((part) => Number.parseInt(part, 16)).join(', ')}, 0.6)`;
}

/** The range of a repeated level, from its smallest to its largest value; else the interval, where there is one. */
function errorBars(
  points: readonly LoadPoint[],
  style: SeriesStyle,
  valueOf: (point: LoadPoint) => number | null,
  intervalOf: ((point: LoadPoint) => number | null) | undefined,
): Pick<Trace, 'error_y'> {
  const bar = { type: 'data' as const, color: pale(style.color), thickness: 1, width: 2 };
  if (points.some((point) => point.repeats !== undefined)) {
    const ends = points.map((point) => rangeOf(point, valueOf));
    return {
      error_y: {
        ...bar,
        symmetric: false,
        array: ends.map(({ up }) => up),
        arrayminus: ends.map(({ down }) => down),
      },
    };
  }
  const intervals = points.map((point) => intervalOf?.(point) ?? null);
  if (intervals.every((interval) => interval === null)) return {};
  return {
    error_y: {
      ...bar,
      symmetric: false,
      array: intervals.map((interval) => interval ?? 0),
      // No rate and no latency is below zero, whatever the interval says.
      arrayminus: points.map((point, index) =>
        Math.min(intervals[index] ?? 0, Math.max(0, valueOf(point) ?? 0)),
      ),
    },
  };
}

/** How far the largest and the smallest measurement lie from the shown one. */
function rangeOf(point: LoadPoint, valueOf: (point: LoadPoint) => number | null) {
  const shown = valueOf(point);
  const { repeats } = point;
  if (shown === null || repeats === undefined) return { up: 0, down: 0 };
  const end = (which: 'min' | 'max') => {
    const columns = Object.entries(repeats.ranges).map(([column, range]) => [column, range[which]]);
    return valueOf({ ...point, ...(Object.fromEntries(columns) as Partial<LoadPoint>) }) ?? shown;
  };
  return { up: Math.max(0, end('max') - shown), down: Math.max(0, shown - end('min')) };
}

export function holeSeries(input: SweepInput): readonly Trace[] {
  const { missing } = input.state;
  if (missing.length === 0) return [];
  return [
    signTrace({
      name: chartSigns.hole,
      x: missing.map((hole) => levelOf(input.scenario, hole)),
      y: missing.map(() => 0),
      marker: { symbol: 'x-thin', size: 9, line: { width: 2, color: input.theme.hole } },
      hovertext: missing.map(
        (hole) => `${wrapped(`${levelText(hole)}: no result`)}<br>${wrapped(hole.error.message)}`,
      ),
    }),
  ];
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Levels measured in turns, by the mean of the windows that they have. */
function landingSeries(input: SweepInput, valueOf: (window: LiveWindow) => number | null): readonly Trace[] {
  const levels = (input.landing ?? []).filter(({ scenario }) => scenario === input.scenario);
  if (levels.length === 0) return [];
  return [
    signTrace({
      name: chartSigns.landing,
      x: levels.map((level) => levelOf(input.scenario, level)),
      y: levels.map(({ windows }) => {
        const values = windows.map(valueOf).filter((value) => value !== null);
        return values.length === 0 ? NaN : meanOf(values);
      }),
      marker: { symbol: 'circle-open', size: 9, color: input.theme.dim, line: { width: 1.5 } },
      hovertext: levels.map(
        ({ windows, ...load }) =>
          `${wrapped(levelText(load))}, mean of ${windows.length} window${windows.length === 1 ? '' : 's'} so far` +
          `<br>${formatRate(meanOf(windows.map((window) => window.inferencesPerSecond)))} inferences/s`,
      ),
    }),
  ];
}

/** The level under way, behind those that wait for their next turn. */
export function liveSeries(
  input: SweepInput,
  valueOf: (window: LiveWindow) => number | null,
): readonly Trace[] {
  return [...landingSeries(input, valueOf), ...currentSeries(input, valueOf)];
}

function currentSeries(input: SweepInput, valueOf: (window: LiveWindow) => number | null): readonly Trace[] {
  const { level, theme } = input;
  const last = level?.windows.at(-1);
  if (level === null || level.scenario !== input.scenario || last === undefined) return [];
  const value = valueOf(last);
  if (value === null) return [];
  return [
    {
      type: 'scatter',
      mode: 'markers',
      name: 'Measuring',
      showlegend: false,
      x: [levelOf(input.scenario, level)],
      y: [value],
      marker: { symbol: 'circle-open-dot', size: 13, color: theme.text, line: { width: 1.5 } },
      hovertext: [
        `Measuring, window ${level.windows.length}<br>${formatRate(last.inferencesPerSecond)} inferences/s${last.p99Us === null ? '' : ` · p99 ${formatMs(last.p99Us)} ms`}`,
      ],
      hoverinfo: 'text',
    },
  ];
}
