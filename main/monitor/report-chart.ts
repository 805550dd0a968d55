import type { MonitorHistory, MonitorSeries, SeriesField } from '../contract/monitor/monitor-history';
import { chartText, ink, titleOption } from '../reports/charts/chart-base';
import { type ChartOption, renderChart } from '../reports/charts/render-chart';

/**
 * Points to draw, `limit` at about the most: of each run of seconds its lowest and highest, so that no outlier is lost,
 * and a NaN where a second was not measured, so that the line breaks there.
 */
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

/** More than the paper can show. */
const mostPoints = 600;

interface ReportLine {
  readonly name: string;
  readonly color: string;
  readonly series: MonitorSeries;
  /** Of a stored value in the unit of the chart. */
  readonly factor: number;
}

const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 19);

/** Lines over time as a still SVG; seconds that were not measured break them. */
export function reportChart(id: string, title: string, unit: string, lines: readonly ReportLine[]): string {
  const option: ChartOption = {
    ...titleOption(title),
    legend: { left: 0, top: 20, padding: 0, itemWidth: 10, itemHeight: 8, textStyle: chartText(9, ink.soft) },
    grid: {
      left: 8,
      right: 14,
      top: 58,
      bottom: 12,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
    xAxis: {
      type: 'value',
      min: 'dataMin',
      max: 'dataMax',
      splitNumber: 4,
      axisLine: { lineStyle: { color: ink.line } },
      axisLabel: { ...chartText(9, ink.soft), formatter: (value: number) => clock(value) },
      splitLine: { show: false },
    },
    yAxis: {
      type: 'value',
      min: 0,
      name: unit,
      nameTextStyle: { ...chartText(10, ink.soft), align: 'left' },
      axisLabel: chartText(9, ink.soft),
      splitLine: { lineStyle: { color: ink.grid } },
    },
    series: lines.map(({ name, color, series, factor }) => ({
      type: 'line' as const,
      name,
      color,
      showSymbol: false,
      silent: true,
      lineStyle: { width: 1.2, color },
      data: decimateSeries(series, mostPoints).map(([timeMs, value]) => [
        timeMs,
        Number.isNaN(value) ? '-' : value * factor,
      ]),
    })),
  };
  return renderChart({ id, title, width: 340, height: 200, option });
}

interface Summary {
  readonly mean: number | null;
  readonly max: number | null;
}

/** Of the seconds that are kept. @param weight of each second; all the same when absent. */
export function summaryOf(
  history: MonitorHistory,
  key: string,
  field: SeriesField,
  weight?: (index: number) => number,
): Summary {
  const span = history.span();
  if (span === null) return { mean: null, max: null };
  let sum = 0;
  let weights = 0;
  let max = -Infinity;
  for (const [index, value] of history.series(key, field, span.fromMs, span.toMs).values.entries()) {
    const heavy = weight === undefined ? 1 : weight(index);
    if (Number.isNaN(value) || !(heavy > 0)) continue;
    sum += value * heavy;
    weights += heavy;
    if (value > max) max = value;
  }
  return weights === 0 ? { mean: null, max: null } : { mean: sum / weights, max };
}
