import { type Column, intervalOf, numberOf } from '../../main/contract/measured/column';
import { fromSend, latencies, scheduled } from '../../main/contract/measured/columns';
import type { LiveWindow } from '../stores/open-run';
import { budgetView } from './budget-line';
import { baseLayout, type Chart, type SweepInput, sweepOfState } from './chart';
import { shownTraces } from './plot/shown-traces';
import { publishedSeries } from './published-series';
import { sweepAxis, sweepEnds, valueAxis } from './sweep-axis';
import { holeSeries, liveSeries, type SeriesLook, sweepSeries } from './sweep-series';
import type { ChartLayout, Trace } from './trace';

const symbols = {
  p99: 'triangle-up',
  p95: 'diamond',
  p90: 'square',
  p50: 'circle',
  avg: 'pentagon',
} as const;
type Latency = keyof typeof symbols;

/** The p99 of a window under way, milliseconds. */
function ms({ scheduledP99Us, p99Us }: LiveWindow): number | null {
  const us = scheduledP99Us ?? p99Us;
  return us === null ? null : us / 1000;
}

const percentiles = ['p99', 'p95', 'p90', 'p50'] as const;

const lookOf = (input: SweepInput, name: Latency, column: Column, dash: SeriesLook['dash']): SeriesLook => ({
  name: column.title,
  color: input.theme[name],
  symbol: symbols[name],
  ...(dash === undefined ? {} : { dash }),
});

/** The columns of a list in the order of the legend, which is that of the lines. */
const ordered = (columns: readonly Column[], names: readonly Latency[]) =>
  names.flatMap((name) =>
    columns.flatMap((column) => ((column.short ?? column.id) === name ? [{ name, column }] : [])),
  );

const closedLoop = (input: SweepInput): readonly Trace[] =>
  ordered(latencies, [...percentiles, 'avg']).map(({ name, column }) => {
    const look = lookOf(input, name, column, name === 'avg' ? 'dot' : 'solid');
    const series = sweepSeries(input, look, numberOf(column), intervalOf(column));
    return name === 'p99' ? series : { ...series, barsAlone: true };
  });

/** Latency from the schedule, and dotted beside it what the requests took from the send: that hides what waited. */
const openLoop = (input: SweepInput): readonly Trace[] => [
  ...ordered(scheduled, percentiles).map(({ name, column }) =>
    sweepSeries(input, lookOf(input, name, column, undefined), numberOf(column)),
  ),
  ...ordered(latencies.map(fromSend), percentiles).map(({ name, column }) =>
    sweepSeries(input, lookOf(input, name, column, 'dot'), numberOf(column)),
  ),
];

/** Mean and percentiles over the sweep, milliseconds. */
export function latencyChart(input: SweepInput): Chart {
  const { theme, scenario, state, sweep } = input;
  const byRate = sweepOfState(scenario, state, sweep) === 'requestRate';
  const measured = [
    ...(byRate ? openLoop(input) : closedLoop(input)),
    ...(byRate ? [] : publishedSeries(input.baseline, theme, ({ p99Ms }) => p99Ms, 'p99 ')),
  ];
  const signs = [...holeSeries(input), ...liveSeries(input, ms)];
  const ends = sweepEnds(input);
  const viewOf = (drawn: readonly Trace[]) =>
    budgetView(
      drawn.filter(({ meta }) => meta === undefined),
      input.budgetMs,
      ends,
      theme,
    );
  const layoutOf = (drawn: readonly Trace[]): ChartLayout => {
    const { shapes, axis } = viewOf(drawn);
    return {
      ...baseLayout(theme),
      shapes,
      xaxis: sweepAxis(input),
      yaxis: { ...valueAxis(input, 'Latency, ms'), ...axis },
      showlegend: true,
    };
  };
  const all = shownTraces([...measured, ...signs], null);
  return {
    data: [...measured, ...viewOf(all).traces, ...signs],
    layout: layoutOf(all),
    layoutOf,
  };
}

/** Inferences per second over the sweep, with the 95 % interval where it is known. */
export function throughputChart(input: SweepInput): Chart {
  const { theme } = input;
  return {
    data: [
      sweepSeries(
        input,
        { name: 'Throughput', color: theme.throughput, symbol: 'circle' },
        (point) => point.inferencesPerSecond,
        (point) => point.throughputIntervalIps,
      ),
      ...publishedSeries(input.baseline, theme, (point) => point.inferencesPerSecond),
      ...holeSeries(input),
      ...liveSeries(input, (window) => window.inferencesPerSecond),
    ],
    layout: {
      ...baseLayout(theme),
      xaxis: sweepAxis(input),
      yaxis: valueAxis(input, 'Inferences/s'),
      showlegend: true,
    },
  };
}
