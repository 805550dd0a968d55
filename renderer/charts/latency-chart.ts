import { numberOf } from '../../main/contract/measured/column';
import { meanBatch } from '../../main/contract/measured/columns';
import {
  axisTitles,
  type ChartLine,
  latencyLines,
  throughputLine,
} from '../../main/domain/measured/chart-lines';
import type { LiveWindow } from '../stores/open-run';
import { budgetView } from './budget-line';
import { type Chart, type SweepInput, sweepOfState } from './chart';
import { shownTraces } from './plot/shown-traces';
import { predictedSeries } from './predicted-series';
import { publishedSeries } from './published-series';
import { sweepEnds, sweepLayout } from './sweep-axis';
import { holeSeries, liveSeries, sweepSeries, symbolNames } from './sweep-series';
import type { ChartLayout, Trace } from './trace';

export function batchChart(input: SweepInput): Chart {
  const { theme } = input;
  return {
    data: [
      sweepSeries(
        input,
        { name: meanBatch.title, color: theme.batch, symbol: 'square' },
        numberOf(meanBatch),
      ),
    ],
    layout: sweepLayout(input, 'Items per execution'),
  };
}

/** Milliseconds. */
function ms({ scheduledP99Us, p99Us }: LiveWindow): number | null {
  const us = scheduledP99Us ?? p99Us;
  return us === null ? null : us / 1000;
}

/** Means, and latencies from the send of an open loop, are dotted: the latter hide what waited. */
function seriesOf(input: SweepInput, line: ChartLine): Trace {
  const { name, tone, read, interval } = line;
  const style = {
    name,
    color: input.theme[tone],
    symbol: symbolNames[line.symbol],
    dash: tone === 'avg' || line.fromSend ? 'dot' : 'solid',
  } as const;
  return sweepSeries(input, style, read, interval);
}

/** Mean and percentiles over the sweep, milliseconds. */
export function latencyChart(input: SweepInput): Chart {
  const { theme, scenario, state, sweep } = input;
  const varied = sweepOfState(scenario, state, sweep);
  const measured = [
    ...latencyLines(varied).map((line) => ({
      ...seriesOf(input, line),
      ...(varied === 'requestRate' || line.tone === 'p99' ? {} : { barsAlone: true }),
    })),
    ...(varied === 'requestRate' ? [] : publishedSeries(input.baseline, theme, ({ p99Ms }) => p99Ms, 'p99 ')),
    ...predictedSeries(input.predicted, theme, ({ load, p99Us }) => [load, p99Us / 1000], 'p99 '),
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
    const layout = sweepLayout(input, axisTitles.latency);
    return { ...layout, shapes, yaxis: { ...layout.yaxis, ...axis } };
  };
  const all = shownTraces([...measured, ...signs], null);
  return { data: [...measured, ...viewOf(all).traces, ...signs], layout: layoutOf(all), layoutOf };
}

export function throughputChart(input: SweepInput): Chart {
  const { theme } = input;
  return {
    data: [
      seriesOf(input, throughputLine),
      ...publishedSeries(input.baseline, theme, (point) => point.inferencesPerSecond),
      ...predictedSeries(input.predicted, theme, ({ load, inferencesPerSecond }) => [
        load,
        inferencesPerSecond,
      ]),
      ...holeSeries(input),
      ...liveSeries(input, (window) => window.inferencesPerSecond),
    ],
    layout: sweepLayout(input, axisTitles.throughput),
  };
}
