import type { LineSeriesOption } from 'echarts/charts';
import type { MonitorSeries } from '../contract/monitor/monitor-history';
import { formatTyped } from '../contract/numbers';
import { budgetColor } from '../domain/measured/chart-lines';
import { largestOf, smallestOf } from '../domain/statistics';
import { axisStyle, baseOption, valueAxis } from '../reports/charts/chart-base';
import { type ChartOption, renderChart } from '../reports/charts/render-chart';
import { Markup, markup } from '../reports/html/markup';

/** About `limit` points: minimum and maximum per group of seconds keep outliers, and NaN marks missing seconds. */
export function decimateSeries(
  { timesMs, values }: MonitorSeries,
  limit: number,
): readonly (readonly [timeMs: number, value: number])[] {
  const runs = Math.max(1, Math.floor(limit / 3));
  const length = Math.max(1, Math.ceil(values.length / runs));
  const kept: (readonly [number, number])[] = [];
  for (let from = 0; from < values.length; from += length) {
    const to = Math.min(values.length, from + length);
    let low = -1;
    let high = -1;
    let gap = -1;
    for (let at = from; at < to; at += 1) {
      const value = values[at] ?? NaN;
      if (Number.isNaN(value)) gap = gap < 0 ? at : gap;
      else {
        if (low < 0 || value < (values[low] ?? NaN)) low = at;
        if (high < 0 || value > (values[high] ?? NaN)) high = at;
      }
    }
    const chosen = [...new Set([low, high, gap])].filter((at) => at >= 0).sort((a, b) => a - b);
    for (const at of chosen) kept.push([timesMs[at] ?? NaN, values[at] ?? NaN]);
  }
  return kept;
}

/** Print resolution. */
const mostPoints = 600;

export interface ReportLine {
  readonly name: string;
  readonly color: string;
  readonly series: MonitorSeries;
  readonly factor: number;
}

export interface Drawing {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly ReportLine[];
  /** In `unit`, drawn across. */
  readonly limit?: number | null;
}

/** Of a chart of two in a row, and of one that has the row for itself. */
const [halfWidth, wholeWidth] = [340, 700];

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

/** Round times of a clock. */
const steps = [
  ...[1, 2, 5, 10, 15, 30].flatMap((count) => [count * second, count * minute]),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28, 91, 364].map((count) => count * day),
].sort((a, b) => a - b);

/** Pixels per label: of a time, and of a day with its time. */
const [timeWidth, dayWidth] = [64, 88];

/** Round times within a span, as few as fit a chart. @param width pixels of the chart */
export function clockTicks(
  fromMs: number,
  toMs: number,
  width: number,
): { readonly timesMs: readonly number[]; readonly text: (ms: number) => string } {
  const most = Math.max(1, Math.floor(width / (toMs - fromMs >= day ? dayWidth : timeWidth)));
  const step = steps.find((ms) => (toMs - fromMs) / ms <= most) ?? toMs - fromMs;
  const first = Math.ceil(fromMs / step) * step;
  const timesMs = Array.from(
    { length: Math.floor((toMs - first) / step) + 1 },
    (_unused, at) => first + at * step,
  );
  const text = (ms: number): string => {
    const iso = new Date(ms).toISOString();
    if (step >= day) return iso.slice(0, 10);
    if (toMs - fromMs >= day) return `${iso.slice(5, 10)} ${iso.slice(11, 16)}`;
    return iso.slice(11, step < minute ? 19 : 16);
  };
  return { timesMs: timesMs.length === 0 ? [fromMs] : timesMs, text };
}

/** The times that the lines have; null without any. */
function spanOf(lines: readonly ReportLine[]): readonly [fromMs: number, toMs: number] | null {
  const ends = lines.flatMap(({ series: { timesMs } }) => [timesMs[0] ?? [], timesMs.at(-1) ?? []].flat());
  return ends.length === 0 ? null : [smallestOf(ends), largestOf(ends)];
}

function timeAxis([fromMs, toMs]: readonly [number, number], width: number): ChartOption['xAxis'] {
  const { timesMs, text } = clockTicks(fromMs, toMs, width);
  const customValues = [...timesMs];
  return {
    ...axisStyle,
    type: 'value',
    min: fromMs,
    max: Math.max(toMs, fromMs + second),
    name: 'Time (UTC)',
    nameLocation: 'middle',
    nameGap: 24,
    splitLine: { show: false },
    axisTick: { ...axisStyle.axisTick, customValues },
    axisLabel: { ...axisStyle.axisLabel, customValues, formatter: text },
  };
}

const across = (
  name: string,
  limit: number,
  [fromMs, toMs]: readonly [number, number],
): LineSeriesOption => ({
  ...{ type: 'line', name, silent: true, symbol: 'none', color: budgetColor },
  lineStyle: { width: 1.25, color: budgetColor, type: 'dashed' },
  data: [fromMs, toMs].map((x) => [x, limit]),
});

/** Line chart; missing seconds interrupt lines. */
function reportChart({ id, title, unit, lines, limit = null }: Drawing, width: number): string {
  const span = spanOf(lines) ?? [0, second];
  const limitName = `Limit of p99: ${formatTyped(limit ?? 0)} ${unit}`;
  const names = [...lines.map(({ name }) => name), ...(limit === null ? [] : [limitName])];
  const option = {
    ...baseOption(title, names.length === 1 ? [] : names),
    xAxis: timeAxis(span, width),
    yAxis: valueAxis(unit),
    series: [
      ...lines.map(({ name, color, series, factor }) => ({
        ...{ type: 'line' as const, name, color, silent: true, symbol: 'none' },
        lineStyle: { width: 1.2, color },
        data: decimateSeries(series, mostPoints).map(([timeMs, value]) => [
          timeMs,
          Number.isNaN(value) ? '-' : value * factor,
        ]),
      })),
      ...(limit === null ? [] : [across(limitName, limit, span)]),
    ],
  } as ChartOption;
  return renderChart({ id, title: `${title}, ${unit}`, width, height: 200, option });
}

/** Two a row; of an odd number the last has a row for itself. */
export function figures(heading: string, drawings: readonly Drawing[]): Markup {
  const drawn = drawings.map((drawing, at) => {
    const isAlone = at % 2 === 0 && at === drawings.length - 1;
    const svg = new Markup(reportChart(drawing, isAlone ? wholeWidth : halfWidth));
    return markup`<figure${isAlone ? new Markup(' class="wide"') : null}>${svg}</figure>`;
  });
  return markup`<h3>${heading}</h3><div class="charts">${drawn}</div>`;
}
