import type { BaselinePoint, BaselineSeries } from '../../main/contract/measured/baseline';
import { formatMs, formatRate } from '../../main/contract/numbers';
import type { ChartTheme } from './chart-theme';
import { wrapped } from './hover-text';
import type { Trace } from './trace';

function textOf(label: string, point: BaselinePoint): string {
  const p99 = point.p99Ms === null ? '' : ` · p99 ${formatMs(point.p99Ms * 1000)} ms`;
  return [
    wrapped(`${label}: not measured here`),
    `<br>batch size ${point.batchSize}, concurrency ${point.concurrency}`,
    `<br>${formatRate(point.inferencesPerSecond)} inferences/s${p99}`,
  ].join('');
}

/**
 * Published figures as a dashed grey line that says whose they are; none without a baseline.
 * @param before stands in front of the name, where a chart has several values.
 */
export function publishedSeries(
  baseline: BaselineSeries | null | undefined,
  theme: ChartTheme,
  read: (point: BaselinePoint) => number | null,
  before = '',
): readonly Trace[] {
  if (baseline === null || baseline === undefined) return [];
  const drawn = baseline.points.flatMap((point) => {
    const y = read(point);
    return y === null ? [] : [{ x: point.load, y, text: textOf(baseline.label, point) }];
  });
  if (drawn.length === 0) return [];
  return [
    {
      type: 'scatter',
      mode: 'lines+markers',
      name: `${before}${baseline.label}`,
      x: drawn.map(({ x }) => x),
      y: drawn.map(({ y }) => y),
      line: { color: theme.dim, width: 1.25, dash: 'dash' },
      marker: { color: theme.dim, size: 4, symbol: 'circle-open', line: { width: 1, color: theme.dim } },
      hovertext: drawn.map(({ text }) => text),
      hoverinfo: 'text',
    },
  ];
}
