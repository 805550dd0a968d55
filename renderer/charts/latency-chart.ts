import type { Chart, SweepInput } from './chart';
import { baseLayout, budgetLine } from './chart';
import { publishedSeries } from './published-series';
import { sweepAxis, valueAxis } from './sweep-axis';
import { holeSeries, liveSeries, sweepSeries } from './sweep-series';

const ms = (us: number): number => us / 1000;

/** Mean and percentiles over the sweep, milliseconds. */
export function latencyChart(input: SweepInput): Chart {
  const { theme } = input;
  return {
    data: [
      sweepSeries(input, { name: 'p99', color: theme.p99, symbol: 'triangle-up' }, (point) =>
        ms(point.p99Us),
      ),
      sweepSeries(input, { name: 'p95', color: theme.p95, symbol: 'diamond' }, (point) => ms(point.p95Us)),
      sweepSeries(input, { name: 'p90', color: theme.p90, symbol: 'square' }, (point) => ms(point.p90Us)),
      sweepSeries(input, { name: 'p50', color: theme.p50, symbol: 'circle' }, (point) => ms(point.p50Us)),
      sweepSeries(input, { name: 'avg', color: theme.avg, symbol: 'pentagon', dash: 'dot' }, (point) =>
        point.avgUs === null ? null : ms(point.avgUs),
      ),
      ...publishedSeries(input.baseline, theme, ({ p99Ms }) => p99Ms, 'p99 '),
      ...holeSeries(input),
      ...liveSeries(input, (window) => (window.p99Us === null ? null : ms(window.p99Us))),
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
