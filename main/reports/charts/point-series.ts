import type { LineSeriesOption } from 'echarts/charts';
import type { BaselinePoint } from '../../contract/measured/baseline';
import type { LoadPoint } from '../../contract/measured/results';
import { formatMeasured } from '../../contract/numbers';
import { isGrid } from '../../contract/run/sweep';
import { type ChartLine, chartSigns, type ChartSymbol, holeColor } from '../../domain/measured/chart-lines';
import type { ReportScenario } from '../report';
import { ink, labelHalo, loadPosition, plotted, sweepPosition } from './chart-base';

/** ECharts' symbol names; no pentagon, which reports do not use. */
export const symbolNames = {
  circle: 'circle',
  square: 'rect',
  diamond: 'diamond',
  triangle: 'triangle',
  pentagon: 'circle',
} as const satisfies Readonly<Record<ChartSymbol, string>>;

interface SeriesStyle {
  readonly name: string;
  readonly color: string;
  readonly symbol: 'circle' | 'rect' | 'triangle' | 'diamond';
  /** Distinguishes lines without color; absent: solid. */
  readonly dash?: 'dashed' | 'dotted' | undefined;
  /** Pixels by which the label of an only level is above its mark. */
  readonly labelRaise?: number | undefined;
}

/** Of a half-width chart: the least height of its plot, the highest end of its axis over the largest value, and a line of text. */
const [plotPx, mostEnd, linePx] = [100, 1.35, 11] as const;

/** How far up the labels of these values move, in their order, so that none is over another; pixels. */
export function labelRaises(values: readonly (number | null)[]): readonly number[] {
  const largest = values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  const raises = values.map(() => 0);
  const rising = values
    .flatMap((value, at) =>
      value === null || largest === 0 ? [] : [{ at, px: (value / largest / mostEnd) * plotPx }],
    )
    .sort((a, b) => a.px - b.px);
  let lowest = -Infinity;
  for (const { at, px } of rising) {
    const place = Math.max(px, lowest);
    raises[at] = place - px;
    lowest = place + linePx;
  }
  return raises;
}

/** Solid marks are steady, hollow ones are not; holes interrupt the line. */
export function pointSeries(
  scenario: ReportScenario,
  style: SeriesStyle,
  read: (point: LoadPoint) => number | null,
): LineSeriesOption {
  const alone = scenario.rows.filter(({ point }) => point !== null).length === 1;
  return {
    type: 'line',
    name: style.name,
    color: style.color,
    symbol: style.symbol,
    symbolSize: alone ? 9 : 6,
    showAllSymbol: true,
    silent: true,
    lineStyle: {
      width: isGrid(scenario.id, scenario.rows) ? 0 : 1.75,
      color: style.color,
      type: style.dash ?? 'solid',
    },
    label: {
      show: alone,
      position: 'right',
      distance: 8,
      offset: [0, -(style.labelRaise ?? 0)],
      fontSize: 10,
      ...labelHalo,
      formatter: ({ value }) => {
        const shown = Array.isArray(value) ? value[1] : value;
        return typeof shown === 'number' ? formatMeasured(shown) : '';
      },
    },
    data: scenario.rows.map((row) => ({
      value: [sweepPosition(scenario, row), row.point === null ? '-' : plotted(read(row.point))],
      symbol: style.symbol,
      itemStyle: { color: row.steady ? style.color : '#ffffff', borderColor: style.color, borderWidth: 1.5 },
    })),
  };
}

/** Error bars of the 95 % intervals. */
export function intervalSeries(
  scenario: ReportScenario,
  { name, color }: Pick<SeriesStyle, 'name' | 'color'>,
  { read, interval }: Pick<ChartLine, 'read' | 'interval'>,
): readonly LineSeriesOption[] {
  const data = scenario.rows.flatMap((row) => {
    if (row.point === null) return [];
    const [value, half] = [read(row.point), interval(row.point)];
    if (value === null || half === null) return [];
    const x = sweepPosition(scenario, row);
    // A gap separates the bars.
    return [
      [x, Math.max(0, value - half)],
      [x, value + half],
      [x, '-'],
    ];
  });
  if (data.length === 0) return [];
  return [
    {
      type: 'line',
      name: `${name}${chartSigns.interval}`,
      color,
      symbol: 'rect',
      symbolSize: [5, 1],
      showAllSymbol: true,
      silent: true,
      lineStyle: { width: 0.75, color },
      data,
    },
  ];
}

const cross = 'path://M0,1 L1,0 L5,4 L9,0 L10,1 L6,5 L10,9 L9,10 L5,6 L1,10 L0,9 L4,5 Z';

/** A cross on the axis per level without a result; not in the legend. */
export function holeSeries(scenario: ReportScenario): LineSeriesOption {
  return {
    type: 'line',
    name: chartSigns.hole,
    silent: true,
    symbol: cross,
    symbolSize: 7,
    showAllSymbol: true,
    clip: false,
    color: holeColor,
    lineStyle: { width: 0 },
    data: scenario.rows.filter(({ point }) => point === null).map((row) => [sweepPosition(scenario, row), 0]),
  };
}

/** Published figures as a dashed grey line, named by hardware. @param before name prefix in charts with several values */
export function publishedSeries(
  scenario: ReportScenario,
  read: (point: BaselinePoint) => number | null,
  before = '',
): readonly LineSeriesOption[] {
  const { baseline } = scenario;
  if (baseline === null) return [];
  const drawn = baseline.points.flatMap((point) => {
    const value = read(point);
    return value === null ? [] : [[loadPosition(scenario, point.load), value]];
  });
  if (drawn.length === 0) return [];
  return [
    {
      type: 'line',
      name: `${before}${baseline.label}`,
      color: ink.soft,
      symbol: 'emptyCircle',
      symbolSize: 3,
      showAllSymbol: true,
      silent: true,
      lineStyle: { width: 1.25, type: 'dashed', color: ink.soft },
      data: drawn,
    },
  ];
}
