import type { MonitorSeries } from '../contract/monitor-history';
import { chartFont, ink } from '../reports/charts/palette';
import type { ChartOption } from '../reports/charts/render-chart';
import { renderChart } from '../reports/charts/render-chart';
import { decimateSeries } from './decimate-series';

/** More than the paper can show. */
const mostPoints = 600;

export interface ReportLine {
  readonly name: string;
  readonly color: string;
  readonly series: MonitorSeries;
  /** Of a stored value in the unit of the chart. */
  readonly factor: number;
}

const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 19);

/** Lines over time as a still SVG; seconds that were not measured break them. */
export function reportChart(id: string, title: string, unit: string, lines: readonly ReportLine[]): string {
  const text = (fontSize: number, color: string) => ({ fontFamily: chartFont, fontSize, color });
  const option: ChartOption = {
    textStyle: { fontFamily: chartFont },
    title: {
      text: title,
      left: 0,
      top: 0,
      padding: 0,
      textStyle: { ...text(12, ink.text), fontWeight: 'bold' },
    },
    legend: { left: 0, top: 20, padding: 0, itemWidth: 10, itemHeight: 8, textStyle: text(9, ink.soft) },
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
      axisLabel: { ...text(9, ink.soft), formatter: (value: number) => clock(value) },
      splitLine: { show: false },
    },
    yAxis: {
      type: 'value',
      min: 0,
      name: unit,
      nameTextStyle: { ...text(10, ink.soft), align: 'left' },
      axisLabel: text(9, ink.soft),
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
