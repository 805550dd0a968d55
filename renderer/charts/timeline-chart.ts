import type { Timeline } from '../../main/contract/measured/timeline';
import { formatMeasured } from '../../main/contract/numbers';
import {
  drawnLines,
  requestLines,
  sliceLatencyLines,
  type TimelineLine,
  timelineTitles,
  timeOf,
} from '../../main/domain/measured/overload/timeline-lines';
import { baseLayout, type Chart } from './chart';
import type { ChartTheme } from './chart-theme';
import { axisStyle, valueAxis } from './sweep-axis';
import type { Trace } from './trace';

const symbols = {
  ...{ circle: 'circle', square: 'square', diamond: 'diamond' },
  ...{ triangle: 'triangle-up', pentagon: 'pentagon' },
} as const;

function trace({ name, order, symbol, dashed = false, read }: TimelineLine, at: Timeline, theme: ChartTheme) {
  const color = theme.runs[order] ?? theme.text;
  const values = at.slices.map((slice) => read(slice) ?? NaN);
  const times = at.slices.map(timeOf);
  const line: Trace = {
    ...{ type: 'scatter', mode: 'lines+markers', name, x: times, y: values },
    line: { color, width: 1.5, dash: dashed ? 'dash' : 'solid' },
    marker: { color, size: 5, symbol: symbols[symbol] },
    hoverinfo: 'text',
    hovertext: values.map(
      (value, index) => `${formatMeasured(times[index])} s<br>${name} ${formatMeasured(value)}`,
    ),
  };
  return line;
}

/** Requests, or latencies, over the time of one level. */
export function timelineChart(what: 'requests' | 'latency', timeline: Timeline, theme: ChartTheme): Chart {
  const lines = drawnLines(what === 'requests' ? requestLines : sliceLatencyLines, timeline.slices);
  const last = timeline.slices.at(-1);
  const endS = last === undefined ? 1 : (last.startUs + last.durationUs) / 1e6;
  return {
    data: lines.map((line) => trace(line, timeline, theme)),
    layout: {
      ...baseLayout(theme),
      xaxis: {
        type: 'linear',
        ...axisStyle(theme, timelineTitles.time),
        range: [0, endS],
        autorange: false,
        gridcolor: 'rgba(0,0,0,0)',
      },
      yaxis: valueAxis(
        { theme },
        what === 'requests' ? timelineTitles.requestAxis : timelineTitles.latencyAxis,
      ),
    },
  };
}
