import type { LineSeriesOption } from 'echarts/charts';
import { hasMarks, type TimeLine, timeLineColor } from '../../domain/measured/time-lines';
import { plotted } from './chart-base';
import { symbolNames } from './point-series';

/** A line over time. */
export function timeSeries(line: TimeLine): LineSeriesOption {
  const { name, symbol, dashed = false, points } = line;
  const color = timeLineColor(line);
  return {
    ...{ type: 'line', name, silent: true, color, symbolSize: 4 },
    symbol: hasMarks(line) ? symbolNames[symbol] : 'none',
    lineStyle: { width: 1.5, color, type: dashed ? 'dashed' : 'solid' },
    data: points.map(([x, y]) => [x, plotted(y)]),
  };
}
