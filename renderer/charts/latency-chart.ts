import { latencyIntervalUs } from '../../main/contract/latency-intervals';
import type { LoadPoint } from '../../main/contract/results';
import type { Chart, SweepInput } from './chart';
import { budgetView } from './budget-line';
import { publishedSeries } from './published-series';
import { baseLayout, sweepOfState } from './chart';
import { sweepAxis, sweepEnds, valueAxis } from './sweep-axis';
import type { SeriesLook } from './sweep-series';
import { holeSeries, liveSeries, sweepSeries } from './sweep-series';
import { shownTraces } from './shown-traces';
import type { ChartLayout, Trace } from './trace';

type Latency = 'p99' | 'p95' | 'p90' | 'p50' | 'avg';
const symbols: Readonly<Record<Latency, string>> = {
  p99: 'triangle-up',
  p95: 'diamond',
  p90: 'square',
  p50: 'circle',
  avg: 'pentagon',
};

/** null where the tool does not say: a gap, never a zero. */
const ms = (us: number | null | undefined): number | null =>
  us === null || us === undefined ? null : us / 1000;

const fromSend = (name: Latency) => (point: LoadPoint) => ms(point[`${name}Us`]);
const fromSchedule = (name: Latency) => (point: LoadPoint) => ms(point.scheduled?.[`${name}Us`]);

const interval = (name: Latency) => (point: LoadPoint) => ms(latencyIntervalUs(point, `${name}Us`));

function closedLoop(input: SweepInput): readonly Trace[] {
  return (['p99', 'p95', 'p90', 'p50', 'avg'] as const).map((name) => {
    const dash = name === 'avg' ? 'dot' : 'solid';
    const look: SeriesLook = { name, color: input.theme[name], symbol: symbols[name], dash };
    const series = sweepSeries(input, look, fromSend(name), interval(name));
    return name === 'p99' ? series : { ...series, barsAlone: true };
  });
}

/** Latency from the schedule, and dotted beside it what the requests took from the send: that hides what waited. */
function openLoop(input: SweepInput): readonly Trace[] {
  const names = ['p99', 'p95', 'p90', 'p50'] as const;
  const look = (name: Latency) => ({ color: input.theme[name], symbol: symbols[name] });
  return [
    ...names.map((name) =>
      sweepSeries(input, { ...look(name), name: `${name} schedule` }, fromSchedule(name)),
    ),
    ...names.map((name) =>
      sweepSeries(input, { ...look(name), name: `${name} send`, dash: 'dot' }, fromSend(name)),
    ),
  ];
}

/** Mean and percentiles over the sweep, milliseconds. */
export function latencyChart(input: SweepInput): Chart {
  const { theme, scenario, state, sweep } = input;
  const byRate = sweepOfState(scenario, state, sweep) === 'requestRate';
  const measured = [
    ...(byRate ? openLoop(input) : closedLoop(input)),
    ...(byRate ? [] : publishedSeries(input.baseline, theme, ({ p99Ms }) => p99Ms, 'p99 ')),
  ];
  const signs = [
    ...holeSeries(input),
    ...liveSeries(input, (window) => ms(window.scheduledP99Us ?? window.p99Us)),
  ];
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
