import { formatMeasured } from '../../main/contract/numbers';
import { hasMarks, type TimeLine } from '../../main/domain/measured/time-lines';
import { baseLayout, type Chart } from './chart';
import type { ChartTheme } from './chart-theme';
import { plain } from './hover-text';
import { axisStyle, valueAxis } from './sweep-axis';
import type { Axis, Trace } from './trace';

const symbols = {
  ...{ circle: 'circle', square: 'square', diamond: 'diamond' },
  ...{ triangle: 'triangle-up', pentagon: 'pentagon' },
} as const;

interface TimeAxes {
  readonly time: string;
  readonly value: string;
  /** Where the time ends, in its unit. */
  readonly end: number;
  /** "12.5 s", "minute 6". */
  readonly timeText: (time: number) => string;
  /** Values may be below zero. */
  readonly isSigned?: boolean;
}

function traceOf(line: TimeLine, { timeText, value: unit }: TimeAxes, theme: ChartTheme): Trace {
  const { name, order, symbol, dashed = false, points } = line;
  const color = theme.runs[order % theme.runs.length] ?? theme.text;
  return {
    ...{ type: 'scatter', mode: hasMarks(line) ? 'lines+markers' : 'lines', name: plain(name) },
    x: points.map(([x]) => x),
    y: points.map(([, y]) => y ?? Number.NaN),
    line: { color, width: 1.5, dash: dashed ? 'dash' : 'solid' },
    marker: { color, size: 5, symbol: symbols[symbol] },
    hoverinfo: 'text',
    hovertext: points.map(
      ([x, y]) => `${plain(name)}<br>${formatMeasured(y)} ${plain(unit)}<br>${timeText(x)}`,
    ),
  };
}

const signed = (axis: Axis, theme: ChartTheme): Axis => ({
  ...axis,
  ...{ rangemode: 'normal', zeroline: true, zerolinecolor: theme.line },
});

/** Lines over the time of a level or of a soak, from its begin to its end. */
export function timeLinesChart(lines: readonly TimeLine[], axes: TimeAxes, theme: ChartTheme): Chart {
  const { time, value, end, isSigned = false } = axes;
  const values = valueAxis({ theme }, value);
  return {
    data: lines.map((line) => traceOf(line, axes, theme)),
    layout: {
      ...baseLayout(theme),
      xaxis: {
        type: 'linear',
        ...axisStyle(theme, time),
        ...{ range: [0, end], autorange: false, gridcolor: 'rgba(0,0,0,0)' },
      },
      yaxis: isSigned ? signed(values, theme) : values,
    },
  };
}
