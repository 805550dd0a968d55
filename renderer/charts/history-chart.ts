import type { HistoryPoint, RunChange } from '../../main/domain/measured/run-changes';
import { largestOf } from '../../main/domain/statistics';
import { formatWhen } from '../format/times';
import { baseLayout, type Chart, signTrace } from './chart';
import type { ChartTheme } from './chart-theme';
import { plain, wrapped } from './hover-text';
import { axisStyle } from './sweep-axis';

const measures = {
  throughput: {
    title: 'Inferences/s',
    value: ({ inferencesPerSecond }: HistoryPoint) => inferencesPerSecond,
    interval: ({ intervalIps }: HistoryPoint) => intervalIps,
  },
  p99: {
    title: 'p99 (ms)',
    value: ({ p99Ms }: HistoryPoint) => p99Ms,
    interval: ({ p99IntervalMs }: HistoryPoint) => p99IntervalMs,
  },
} as const;

/** The answers of the runs of one model by time, hollow where not steady; triangles above the changes that exceed the noise. */
export function historyChart(
  points: readonly HistoryPoint[],
  changes: readonly RunChange[],
  of: keyof typeof measures,
  theme: ChartTheme,
): Chart {
  const { title, value, interval } = measures[of];
  const color = of === 'p99' ? theme.p99 : theme.throughput;
  const nameOf = ({ run }: HistoryPoint): string => run.name ?? formatWhen(run.createdAt);
  const marked = points.flatMap((point) => {
    const change = changes.find((one) => one.of === of && one.run.runId === point.run.runId);
    return change === undefined ? [] : [{ point, change }];
  });
  const highest = largestOf(points.map((point) => value(point) + (interval(point) ?? 0)));
  return {
    data: [
      {
        type: 'scatter',
        mode: 'lines+markers',
        name: title,
        x: points.map(({ run }) => run.createdAt),
        y: points.map(value),
        line: { color, width: 1.25, dash: 'dot' },
        marker: {
          color,
          size: 7,
          symbol: points.map(({ steady }) => (steady ? 'circle' : 'circle-open')),
          line: { width: 1.5, color },
        },
        hovertext: points.map((point) => {
          const half = interval(point);
          const steady = point.steady ? '' : '<br>not steady';
          return `${wrapped(nameOf(point))}<br>${plain(title)}: ${value(point).toPrecision(4)}${half === null ? '' : ` ± ${half.toPrecision(2)}`}${steady}`;
        }),
        hoverinfo: 'text',
        error_y: {
          type: 'data',
          color,
          thickness: 1,
          width: 2,
          array: points.map((point) => interval(point) ?? 0),
        },
      },
      ...(marked.length === 0
        ? []
        : [
            signTrace({
              name: 'Change larger than the noise',
              x: marked.map(({ point }) => point.run.createdAt),
              y: marked.map(() => highest * 1.08),
              hovertext: marked.map(({ change }) => wrapped(change.text)),
              marker: {
                color: theme.text,
                size: 10,
                symbol: marked.map(({ change }) =>
                  change.to > change.from ? 'triangle-up' : 'triangle-down',
                ),
              },
            }),
          ]),
    ],
    layout: {
      ...baseLayout(theme),
      xaxis: { type: 'date', gridcolor: theme.grid, linecolor: theme.line, automargin: true },
      yaxis: {
        ...axisStyle(theme, title),
        range: [0, highest * 1.16],
        separatethousands: true,
        automargin: true,
      },
    },
  };
}
