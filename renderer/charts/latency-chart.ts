import { latencyIntervalUs } from '../../main/contract/latency-intervals';
import type { LoadPoint } from '../../main/contract/results';
import type { Chart, SweepInput } from './chart';
import { publishedSeries } from './published-series';
import { baseLayout, budgetLine, sweepOfState } from './chart';
import { sweepAxis, valueAxis } from './sweep-axis';
import type { SeriesLook } from './sweep-series';
import { holeSeries, liveSeries, sweepSeries } from './sweep-series';
import type { Trace } from './trace';

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

const p99Interval = (point: LoadPoint): number | null => ms(latencyIntervalUs(point, 'p99Us'));

function closedLoop(input: SweepInput): readonly Trace[] {
  return (['p99', 'p95', 'p90', 'p50', 'avg'] as const).map((name) => {
    const dash = name === 'avg' ? 'dot' : 'solid';
    const look: SeriesLook = { name, color: input.theme[name], symbol: symbols[name], dash };
    // Bars at every series would hide each other; a hover has all intervals.
    return sweepSeries(input, look, fromSend(name), name === 'p99' ? p99Interval : undefined);
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
  return {
    data: [
      ...(byRate ? openLoop(input) : closedLoop(input)),
      ...(byRate ? [] : publishedSeries(input.baseline, theme, ({ p99Ms }) => p99Ms, 'p99 ')),
      ...holeSeries(input),
      ...liveSeries(input, (window) => ms(window.scheduledP99Us ?? window.p99Us)),
    ],
    layout: {
      ...baseLayout(theme),
      ...budgetLine(input.budgetMs, theme),
      xaxis: sweepAxis(input),
      yaxis: valueAxis(input, 'Latency, ms'),
      showlegend: true,
    },
  };
}
