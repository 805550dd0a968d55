import type { LineSeriesOption } from 'echarts/charts';
import { formatFixed } from '../../contract/numbers';
import { type Sweep, sweepHeading } from '../../contract/run/sweep';
import { axisTitles, chartSigns } from '../../domain/measured/chart-lines';
import type { ReportLevel, ReportScenario } from '../report';
import type { ChartOption } from './render-chart';

export const ink = { text: '#1f2933', soft: '#52606d', line: '#cbd2d9', grid: '#e4e7eb' } as const;

/** Single quotes, because the renderer does not escape attributes. */
export const chartFont = "'Helvetica Neue', 'Liberation Sans', Arial, 'DejaVu Sans', sans-serif";

/** Measured but not steady. */
const isHollow = ({ point, steady }: ReportLevel): boolean => point !== null && !steady;

/** Legend entry for hollow symbols, if any. */
export const hollowNames = (scenario: ReportScenario): readonly string[] =>
  scenario.rows.some(isHollow) ? [chartSigns.hollow] : [];

export const legendSeries = (names: readonly string[]): readonly LineSeriesOption[] =>
  names.map((of) => ({
    type: 'line',
    name: of,
    silent: true,
    symbol: 'emptyCircle',
    symbolSize: 6,
    color: ink.text,
    lineStyle: { width: 0 },
    data: [],
  }));

export const hollowSeries = (scenario: ReportScenario): readonly LineSeriesOption[] =>
  legendSeries(hollowNames(scenario));

/** Logarithmic if values about double (over a sufficient range), otherwise linear; a single value has its own axis. */
type SweepScale = 'single' | 'log2' | 'linear';

/** @param values ascending, without repeats */
export function sweepScale(values: readonly number[]): SweepScale {
  if (values.length < 2) return 'single';
  const ratios = values.slice(1).map((value, index) => value / (values[index] ?? value));
  return ratios.every((ratio) => ratio >= 1.5) ? 'log2' : 'linear';
}

/** Ascending, holes included. */
function sweepValues(scenario: ReportScenario): readonly number[] {
  return scenario.rows.map((row) => row.load);
}

/** Also with published loads. */
function axisValues(scenario: ReportScenario): readonly number[] {
  const published = (scenario.baseline?.points ?? []).map(({ load }) => load);
  if (published.length === 0) return sweepValues(scenario);
  return [...new Set([...sweepValues(scenario), ...published])].sort((a, b) => a - b);
}

export function hasPoints(scenario: ReportScenario): boolean {
  return scenario.rows.some(({ point }) => point !== null);
}

export const chartText = (fontSize: number, color: string) => ({ fontFamily: chartFont, fontSize, color });

/** Labels stay readable over lines. */
export const labelHalo = { color: ink.text, textBorderColor: '#ffffff', textBorderWidth: 3 } as const;

export const legendLine = 16;

/** Title and font of every chart. */
export const titleOption = (title: string): Pick<ChartOption, 'textStyle' | 'title'> => ({
  textStyle: { fontFamily: chartFont },
  title: {
    text: title,
    left: 0,
    top: 0,
    padding: 0,
    textStyle: { ...chartText(12, ink.text), fontWeight: 'bold' },
  },
});

/** Title, margins and fonts; long legends take several lines. */
export function baseOption(title: string, legend: readonly string[], legendLines = 1): ChartOption {
  return {
    ...titleOption(title),
    ...(legend.length === 0
      ? {}
      : {
          legend: {
            data: [...legend],
            left: 0,
            top: 20,
            padding: 0,
            itemWidth: 10,
            itemHeight: 8,
            itemGap: 7,
            textStyle: chartText(9, ink.soft),
          },
        }),
    grid: {
      left: 8,
      right: 14,
      top: legend.length === 0 ? 40 : 58 + (legendLines - 1) * legendLine,
      bottom: 22,
      outerBoundsMode: 'same',
      outerBoundsContain: 'axisLabel',
    },
  };
}

export const axisStyle = {
  axisLine: { show: true, lineStyle: { color: ink.line } },
  axisTick: { lineStyle: { color: ink.line } },
  axisLabel: chartText(10, ink.soft),
  nameTextStyle: chartText(10, ink.soft),
};

/** Cached, because every mark needs it. */
const scales = new WeakMap<ReportScenario, SweepScale>();

/** By the run's own values, because published ones have other steps. */
function scaleOf(scenario: ReportScenario): SweepScale {
  const known = scales.get(scenario);
  if (known !== undefined) return known;
  const own = sweepScale(sweepValues(scenario));
  const scale = own === 'single' ? sweepScale(axisValues(scenario)) : own;
  scales.set(scenario, scale);
  return scale;
}

function axisName(sweep: Sweep, scale: SweepScale): string {
  const name = sweepHeading[sweep];
  if (scale !== 'log2') return name;
  return name.endsWith(')') ? `${name.slice(0, -1)}, log scale)` : `${name} (log scale)`;
}

/** An axis of these swept values, ascending, laid out by value. */
export function levelAxis(sweep: Sweep, values: readonly number[], scale: SweepScale): ChartOption['xAxis'] {
  const shared = {
    ...axisStyle,
    name: axisName(sweep, scale),
    nameLocation: 'middle',
    nameGap: 24,
    splitLine: { show: false },
  } as const;
  switch (scale) {
    case 'single':
      return { ...shared, type: 'category', data: values.map(String) };
    case 'log2':
      return { ...shared, type: 'log', logBase: 2, min: values[0] ?? 1, max: values[values.length - 1] ?? 1 };
    case 'linear':
      return { ...shared, type: 'value', min: 0, minInterval: 1 };
  }
}

/** The swept axis of a run's levels. */
export const sweepAxis = (scenario: ReportScenario): ChartOption['xAxis'] =>
  levelAxis(scenario.sweep, axisValues(scenario), scaleOf(scenario));

/** Categories for bars; unsteady levels are marked. */
export function sweepCategories(scenario: ReportScenario): ChartOption['xAxis'] {
  return {
    ...axisStyle,
    type: 'category',
    name: sweepHeading[scenario.sweep],
    nameLocation: 'middle',
    nameGap: 24,
    data: scenario.rows.map((row) =>
      isHollow(row) ? `${row.load} ${chartSigns.hollowMark}` : String(row.load),
    ),
    axisTick: { show: false },
  };
}

/** Vertical categories, the first at the top. */
export const choiceAxis = (names: readonly string[]): ChartOption['yAxis'] => ({
  ...axisStyle,
  type: 'category',
  inverse: true,
  data: [...names],
  axisTick: { show: false },
});

/** As many as the value of a tick has: 0.5 beside 1 and 1.5. */
const decimalsOf = (value: number) =>
  ([0, 1, 2] as const).find((count) => Math.abs(value - Number(value.toFixed(count))) < 1e-9) ?? 3;

/** Starts at zero, so that lengths are comparable; `isSigned`: of values that may be below it. */
export function valueAxis(unit: string, max?: number, isSigned = false): ChartOption['yAxis'] {
  return {
    ...axisStyle,
    type: 'value',
    ...(isSigned ? {} : { min: 0 }),
    ...(max === undefined ? {} : { max, interval: max / 4 }),
    name: unit,
    nameLocation: 'end',
    nameGap: 8,
    nameTextStyle: { ...chartText(10, ink.soft), align: 'left' },
    axisLine: { show: false },
    axisTick: { show: false },
    splitNumber: 4,
    splitLine: { lineStyle: { color: ink.grid } },
    axisLabel: {
      ...chartText(10, ink.soft),
      formatter: (value: number) => formatFixed(value, decimalsOf(value)),
    },
  };
}

/** A round maximum with room for a mark. */
export function niceEnd(values: readonly number[]): number {
  const most = values.reduce((highest, value) => Math.max(highest, value), 0) * 1.05;
  if (!(most > 0)) return 1;
  const step = 10 ** Math.floor(Math.log10(most)) / 2;
  return Math.ceil(most / step) * step;
}

export const rateAxis = (max: number, name: string = axisTitles.rate): ChartOption['xAxis'] => ({
  ...axisStyle,
  type: 'value',
  min: 0,
  max,
  name,
  nameLocation: 'middle',
  nameGap: 24,
  splitLine: { show: false },
  axisLabel: {
    ...chartText(10, ink.soft),
    formatter: (value: number) => formatFixed(value, max < 5 ? 1 : 0),
  },
});

/** From the start to an end, both in the unit that the name has. */
export const timeAxis = (end: number, name: string): ChartOption['xAxis'] => ({
  ...axisStyle,
  type: 'value',
  min: 0,
  max: end,
  name,
  nameLocation: 'middle',
  nameGap: 24,
  splitLine: { show: false },
  axisLabel: {
    ...chartText(10, ink.soft),
    // The end itself, which is seldom round, has none.
    formatter: (value: number) => (decimalsOf(value) > 2 ? '' : formatFixed(value, decimalsOf(value))),
  },
});

/** ECharts' placeholder for missing values. */
export function plotted(value: number | null): number | '-' {
  return value !== null && Number.isFinite(value) ? value : '-';
}

/** x of a load on the axis of {@link sweepAxis}. */
export function loadPosition(scenario: ReportScenario, load: number): number | string {
  return scaleOf(scenario) === 'single' ? String(load) : load;
}

/** x of a level on the same axis. */
export const sweepPosition = (scenario: ReportScenario, row: ReportLevel): number | string =>
  loadPosition(scenario, row.load);
