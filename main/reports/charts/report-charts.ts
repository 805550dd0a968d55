import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts';
import { isSteady } from '../../contract/flag-text';
import { numberOf } from '../../contract/measured/column';
import { components } from '../../contract/measured/columns';
import type { LoadPoint } from '../../contract/measured/results';
import { budgetLatencyUs, sweepTitle } from '../../contract/run/sweep';
import {
  axisTitles,
  budgetAxisTitle,
  budgetColor,
  type ChartLine,
  chartSigns,
  type ChartTone,
  componentColors,
  latencyLines,
  lineColors,
  okabeIto,
  throughputLine,
} from '../../domain/measured/chart-lines';
import { partMs, partNames, restName } from '../../domain/measured/limits/model-parts';
import { paretoFront, spacedLevels } from '../../domain/measured/points';
import type { ReportScenario } from '../report';
import {
  baseOption,
  hasPoints,
  hollowNames,
  hollowSeries,
  ink,
  labelHalo,
  legendLine,
  niceEnd,
  plotted,
  rateAxis,
  sweepAxis,
  sweepCategories,
  valueAxis,
} from './chart-base';
import { gpuReadings } from './gpu-readings';
import {
  holeSeries,
  intervalSeries,
  labelRaises,
  pointSeries,
  publishedSeries,
  symbolNames,
} from './point-series';
import type { Chart } from './render-chart';
import { timelineCharts } from './timeline-charts';

/** Symbols and dashes distinguish lines without color. */
const dashes: Partial<Readonly<Record<ChartTone, 'dashed' | 'dotted'>>> = { p95: 'dotted', p99: 'dashed' };

/** Lines that fit half a page; open loops also show the send-based latency, dashed. */
const drawnTones = {
  closed: ['p50', 'p95', 'p99'],
  open: ['p50', 'p99'],
} as const satisfies Readonly<Record<string, readonly ChartTone[]>>;

const lineSeries = (
  scenario: ReportScenario,
  line: ChartLine,
  look: { readonly dash?: 'dashed' | 'dotted' | undefined; readonly labelRaise?: number | undefined } = {},
): LineSeriesOption =>
  pointSeries(
    scenario,
    { name: line.name, color: lineColors[line.tone], symbol: symbolNames[line.symbol], ...look },
    line.read,
  );

const intervals = (scenario: ReportScenario, line: ChartLine): readonly LineSeriesOption[] =>
  intervalSeries(scenario, { name: line.name, color: lineColors[line.tone] }, line);

function latencyChart(scenario: ReportScenario): Chart {
  const { sweep } = scenario;
  const isOpen = sweep === 'requestRate';
  const title = `Latency by ${sweepTitle[sweep].toLowerCase()}`;
  const tones = isOpen ? drawnTones.open : drawnTones.closed;
  const lines = [false, true].flatMap((fromSend) =>
    tones.flatMap((tone) =>
      latencyLines(sweep).filter((line) => line.tone === tone && line.fromSend === fromSend),
    ),
  );
  const published = isOpen ? [] : publishedSeries(scenario, ({ p99Ms }) => p99Ms, 'p99 ');
  const what = isOpen ? 'p50 and p99 from the schedule and from the send,' : 'p50, p95 and p99';
  const names = [...lines.map(({ name }) => name), ...published.map(({ name }) => String(name))];
  const [only = null] = scenario.rows.flatMap(({ point }) => point ?? []);
  const raises = labelRaises(lines.map(({ read }) => (only === null ? null : read(only))));
  return {
    id: `${scenario.id}-latency`,
    title: `${scenario.title}: ${title}, ${what} in milliseconds`,
    width: 340,
    height: 208,
    option: {
      ...baseOption(title, [...names, ...hollowNames(scenario)], isOpen ? 2 : 1),
      xAxis: sweepAxis(scenario),
      yAxis: valueAxis(axisTitles.latency),
      series: [
        // On other lines intervals would hide neighbors.
        ...lines.filter(({ tone }) => tone === 'p99').flatMap((line) => intervals(scenario, line)),
        ...lines.map((line, at) =>
          lineSeries(scenario, line, {
            dash: isOpen ? (line.fromSend ? 'dashed' : undefined) : dashes[line.tone],
            labelRaise: raises[at],
          }),
        ),
        ...published,
        ...hollowSeries(scenario),
        holeSeries(scenario),
      ],
    } as Chart['option'],
  };
}

const measuredMean = 'measured avg';

/** The renderer modifies it, so each chart needs its own. */
type Hatching = NonNullable<BarSeriesOption['itemStyle']>;

/** Hatching per component distinguishes equally light colors in greyscale. */
function hatchings(): readonly Hatching[] {
  const color = ink.text;
  const stripes = (rotation: number): Hatching => ({
    decal: { symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [1, 4], color, rotation },
  });
  const dots: Hatching = { decal: { symbol: 'circle', dashArrayX: [[4, 4]], dashArrayY: [4, 2], color } };
  return [dots, {}, stripes(-Math.PI / 4), stripes(0), {}, stripes(Math.PI / 4), stripes(Math.PI / 2)];
}

function componentsChart(scenario: ReportScenario): Chart {
  const title = `Where the time goes, by ${sweepTitle[scenario.sweep].toLowerCase()}`;
  const hatched = hatchings();
  const bars = components.map((component, index): BarSeriesOption => ({
    type: 'bar',
    name: component.title,
    stack: 'latency',
    silent: true,
    barMaxWidth: 34,
    barCategoryGap: '35%',
    color: componentColors[index] ?? okabeIto.black,
    itemStyle: hatched[index] ?? {},
    data: scenario.rows.map(({ point }) => (point === null ? '-' : plotted(numberOf(component)(point)))),
  }));
  const mean: LineSeriesOption = {
    type: 'line',
    name: measuredMean,
    silent: true,
    symbol: 'diamond',
    symbolSize: 7,
    color: okabeIto.black,
    lineStyle: { width: 0 },
    data: scenario.rows.map(({ point }) =>
      point === null ? '-' : plotted(point.avgUs === null ? null : point.avgUs / 1000),
    ),
  };
  const holes = scenario.rows.map(({ point }) => (point === null ? 0 : '-'));
  return {
    id: `${scenario.id}-components`,
    title: `${scenario.title}: mean latency by component in milliseconds, by ${sweepTitle[scenario.sweep].toLowerCase()}`,
    width: 690,
    height: 226 + legendLine,
    option: {
      ...baseOption(
        title,
        [...components.map(({ title: name }) => name), measuredMean, ...hollowNames(scenario)],
        2,
      ),
      xAxis: sweepCategories(scenario),
      yAxis: valueAxis(axisTitles.meanLatency),
      series: [...bars, mean, ...hollowSeries(scenario), { ...holeSeries(scenario), data: holes }],
    } as Chart['option'],
  };
}

function throughputChart(scenario: ReportScenario): Chart {
  const title = `Throughput by ${sweepTitle[scenario.sweep].toLowerCase()}`;
  const legend = [
    throughputLine.name,
    ...(scenario.baseline === null ? [] : [scenario.baseline.label]),
    ...hollowNames(scenario),
  ];
  return {
    id: `${scenario.id}-throughput`,
    title: `${scenario.title}: ${title}, inferences per second`,
    width: 340,
    height: 208,
    option: {
      ...baseOption(title, legend.length === 1 ? [] : legend),
      xAxis: sweepAxis(scenario),
      yAxis: valueAxis(axisTitles.throughput),
      series: [
        ...intervals(scenario, throughputLine),
        lineSeries(scenario, throughputLine),
        ...publishedSeries(scenario, (point) => point.inferencesPerSecond),
        ...hollowSeries(scenario),
        holeSeries(scenario),
      ],
    } as Chart['option'],
  };
}

export const star =
  'path://M0,-10 L2.9,-4 L9.5,-3.1 L4.8,1.5 L5.9,8.1 L0,5 L-5.9,8.1 L-4.8,1.5 L-9.5,-3.1 L-2.9,-4 Z';

/** A budget this far above the data would flatten the chart. */
const farAbove = 3;

/** A limit of the latency as a line with a shaded area above. */
export function budgetLine(name: string, budgetMs: number, rates: number): LineSeriesOption {
  return {
    type: 'line',
    name,
    silent: true,
    symbol: 'none',
    color: budgetColor,
    lineStyle: { width: 1.25, color: budgetColor, type: 'dashed' },
    areaStyle: { color: budgetColor, opacity: 0.05, origin: 'end' },
    data: [0, rates].map((x) => [x, budgetMs]),
  };
}

/** p99 over throughput, one mark per level. */
function tradeOffChart(scenario: ReportScenario): Chart {
  const { rows, sweep, chosen, budgetMs } = scenario;
  const title = `p99 by throughput, levels labeled with their ${sweepTitle[sweep].toLowerCase()}`;
  const measured = rows.flatMap((row) => (row.point === null ? [] : [{ ...row, point: row.point }]));
  const points = measured.map(({ point }) => point);
  const place = (point: LoadPoint) => [point.inferencesPerSecond, budgetLatencyUs(point) / 1000];
  const front = paretoFront(points);
  const labeled = spacedLevels(points, chosen === null ? front : [chosen.point, ...front]);
  const rates = niceEnd(points.map(({ inferencesPerSecond }) => inferencesPerSecond));
  const slowest = points.reduce((most, point) => Math.max(most, budgetLatencyUs(point) / 1000), 0);
  const budgets =
    budgetMs === null || budgetMs > slowest * farAbove
      ? []
      : [budgetLine(chartSigns.budget(budgetMs), budgetMs, rates)];
  const { throughput: blue, p95: orange } = lineColors;
  // One level makes no line, and its legend would explain nothing.
  const line = (front.length > 1 ? [front] : []).map((levels): LineSeriesOption => ({
    type: 'line',
    name: chartSigns.front,
    silent: true,
    symbol: 'none',
    color: blue,
    lineStyle: { width: 1.75, color: blue },
    data: levels.map(place),
  }));
  const marks: LineSeriesOption = {
    type: 'line',
    name: chartSigns.levels(sweep),
    silent: true,
    symbol: 'circle',
    symbolSize: 7,
    color: blue,
    showAllSymbol: true,
    lineStyle: { width: 0 },
    data: measured.map(({ point, steady, load }) => ({
      value: place(point),
      itemStyle: { color: steady ? blue : '#ffffff', borderColor: blue, borderWidth: 1.5 },
      label: {
        show: labeled.has(point),
        position: 'top',
        distance: 5,
        fontSize: 10,
        ...labelHalo,
        // Beside the ascending line.
        offset: [-8, 0],
        formatter: String(load),
      },
    })),
  };
  const best = (chosen === null ? [] : [chosen]).map(({ name, point }): LineSeriesOption => ({
    type: 'line',
    name,
    silent: true,
    symbol: star,
    symbolSize: 13,
    color: orange,
    z: 3,
    lineStyle: { width: 0 },
    data: [
      {
        value: place(point),
        itemStyle: { color: isSteady(point) ? orange : '#ffffff', borderColor: orange, borderWidth: 1 },
      },
    ],
  }));
  const series = [...budgets, ...line, marks, ...best, ...hollowSeries(scenario)];
  return {
    id: `${scenario.id}-trade-off`,
    title: `${scenario.title}: ${title}, in milliseconds and inferences per second`,
    width: 690,
    height: 236,
    option: {
      ...baseOption(
        title,
        series.map(({ name }) => String(name)),
      ),
      xAxis: rateAxis(rates),
      yAxis: valueAxis(budgetAxisTitle(sweep)),
      series,
    } as Chart['option'],
  };
}

/** Mean time that each model of an ensemble, or called by BLS, takes of a request, stacked. */
function modelsChart(scenario: ReportScenario, names: readonly string[]): Chart {
  const title = `Where the time goes by model, by ${sweepTitle[scenario.sweep].toLowerCase()}`;
  const hatched = hatchings();
  const bars = names.map((name, index): BarSeriesOption => {
    const at = name === restName ? names.length - 1 : index;
    return {
      ...{ type: 'bar', name, stack: 'latency', silent: true, barMaxWidth: 34, barCategoryGap: '35%' },
      color: name === restName ? ink.line : (componentColors[at % componentColors.length] ?? okabeIto.black),
      itemStyle: name === restName ? {} : (hatched[at % hatched.length] ?? {}),
      data: scenario.rows.map(({ point }) => (point === null ? '-' : plotted(partMs(point, name)))),
    };
  });
  const holes = scenario.rows.map(({ point }) => (point === null ? 0 : '-'));
  return {
    id: `${scenario.id}-models`,
    title: `${scenario.title}: mean latency by model in milliseconds, by ${sweepTitle[scenario.sweep].toLowerCase()}`,
    width: 690,
    height: 226,
    option: {
      ...baseOption(title, [...names, ...hollowNames(scenario)], names.length > 5 ? 2 : 1),
      xAxis: sweepCategories(scenario),
      yAxis: valueAxis(axisTitles.meanLatency),
      series: [...bars, ...hollowSeries(scenario), { ...holeSeries(scenario), data: holes }],
    } as Chart['option'],
  };
}

const hasComponents = ({ rows }: ReportScenario): boolean =>
  rows.some(({ point }) => point !== null && components.some(({ read }) => typeof read(point) === 'number'));

/** A scenario's charts in order; empty without measurements. */
export function scenarioCharts(scenario: ReportScenario): readonly Chart[] {
  if (!hasPoints(scenario)) return [];
  const ofModels = partNames(scenario.rows.flatMap(({ point }) => point ?? []));
  return [
    throughputChart(scenario),
    latencyChart(scenario),
    // A single level has no trade-off.
    ...(scenario.rows.filter(({ point }) => point !== null).length > 1 ? [tradeOffChart(scenario)] : []),
    ...(hasComponents(scenario) ? [componentsChart(scenario)] : []),
    ...(ofModels.length > 0 ? [modelsChart(scenario, ofModels)] : []),
    ...timelineCharts(scenario),
    ...gpuReadings(scenario),
  ];
}
