import type { Chart, SweepInput } from './chart';
import { baseLayout } from './chart';
import { publishedSeries } from './published-series';
import { sweepAxis, valueAxis } from './sweep-axis';
import { holeSeries, liveSeries, sweepSeries } from './sweep-series';

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
