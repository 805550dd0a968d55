import { formatMs, formatRate, formatTyped } from '../../main/contract/numbers';
import { chartSigns } from '../../main/domain/measured/chart-lines';
import type { PredictedLevel } from '../../main/domain/predict/predicted-curve';
import type { ChartTheme } from './chart-theme';
import type { Trace } from './trace';

const textOf = ({ load, inferencesPerSecond, p99Us }: PredictedLevel): string =>
  [
    chartSigns.predicted,
    `<br>load ${formatTyped(Number(load.toPrecision(3)))}`,
    `<br>${formatRate(inferencesPerSecond)} inferences/s · p99 ${formatMs(p99Us)} ms`,
  ].join('');

/** What is predicted between the measured levels, as a dotted grey line without symbols; none without a prediction. */
export function predictedSeries(
  predicted: readonly PredictedLevel[] | undefined,
  theme: ChartTheme,
  placeOf: (level: PredictedLevel) => readonly [x: number, y: number],
  before = '',
): readonly Trace[] {
  if (predicted === undefined || predicted.length < 2) return [];
  const places = predicted.map(placeOf);
  return [
    {
      type: 'scatter',
      mode: 'lines',
      name: `${before}${chartSigns.predicted}`,
      x: places.map(([x]) => x),
      y: places.map(([, y]) => y),
      line: { color: theme.dim, width: 1.5, dash: 'dot' },
      hovertext: predicted.map(textOf),
      hoverinfo: 'text',
    },
  ];
}
