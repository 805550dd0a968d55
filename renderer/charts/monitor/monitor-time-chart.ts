import type { MonitorMarker } from '../../../main/contract/monitor/monitor';
import type { MonitorHistory } from '../../../main/contract/monitor/monitor-history';
import { baseLayout, type Chart, lineAcross, signTrace } from '../chart';
import type { ChartTheme } from '../chart-theme';
import { wrapped } from '../hover-text';
import { valueAxis } from '../sweep-axis';
import type { Axis, Trace } from '../trace';
import { localMs } from './history-columns';

/** More vertical lines could not be told apart. */
const mostMarkers = 60;
export interface MonitorChartInput {
  readonly history: MonitorHistory;
  /** `model:<name>/<version>` or `gpu:<uuid>`. */
  readonly key: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Length of the chosen range, to which the axis grows: a zoom is kept until another one is chosen. */
  readonly chosenMs: number;
  readonly theme: ChartTheme;
}

/** Steps of a window that lines are drawn in: a hundredth of it is free for what is to come, a few pixels. */
export const lineSteps = 100;

/**
 * The window that is drawn: its end moves on by steps, so that between two of them only the ends of the lines are drawn.
 * An hour or a day of several charts takes a third of a second to draw whole.
 */
export function drawnWindow(
  { fromMs, toMs }: Pick<MonitorChartInput, 'fromMs' | 'toMs'>,
  steps: number,
): { readonly fromMs: number; readonly endMs: number; readonly stepMs: number } {
  const stepMs = Math.max(1000, Math.floor((toMs - fromMs) / steps / 1000) * 1000);
  const endMs = Math.ceil(toMs / stepMs) * stepMs;
  return { fromMs: endMs - (toMs - fromMs), endMs, stepMs };
}

function markerParts(
  markers: readonly MonitorMarker[],
  theme: ChartTheme,
): { readonly trace: readonly Trace[]; readonly shapes: readonly object[] } {
  const shown = markers.slice(-mostMarkers);
  const x = shown.map((marker) => localMs(marker.atMs));
  return {
    trace:
      shown.length === 0
        ? []
        : [
            signTrace({
              name: 'Events',
              x,
              y: shown.map(() => 0),
              showlegend: false,
              hovertext: shown.map((marker) => wrapped(marker.text)),
              marker: { color: theme.hole, size: 8, symbol: 'diamond' },
            }),
          ],
    shapes: x.map((at) => lineAcross(at, theme.hole)),
  };
}

/** @param length of the window in seconds: a long one has no seconds at its ticks. */
function timeAxis(range: readonly [number, number], length: number, theme: ChartTheme): Axis {
  return {
    type: 'date',
    range,
    autorange: false,
    tickformat: length > 2 * 3600 ? '%H:%M' : '%H:%M:%S',
    hoverformat: '%H:%M:%S',
    showspikes: true,
    spikemode: 'across',
    spikesnap: 'hovered data',
    spikethickness: 1,
    spikedash: 'solid',
    spikecolor: theme.dim,
    nticks: 7,
    tickfont: { color: theme.dim },
    gridcolor: 'rgba(0,0,0,0)',
    linecolor: theme.line,
    zeroline: false,
  };
}

export function timeChart(
  input: MonitorChartInput,
  data: readonly Trace[],
  titles: {
    readonly left: string;
    readonly right?: string;
    /** Upper ends of the axes; absent: chosen by the values. */
    readonly top?: number;
    readonly rightTop?: number;
  },
  steps = lineSteps,
): Chart {
  const { theme, history, toMs } = input;
  // Bars are drawn in steps of their own; the time axis is the same in every chart.
  const { stepMs } = drawnWindow(input, steps);
  const { fromMs, endMs } = drawnWindow(input, lineSteps);
  const length = Math.round((endMs - fromMs) / 1000);
  const markers = history.markers(fromMs, toMs);
  const marked = markerParts(markers, theme);
  const axis = valueAxis({ theme }, titles.left);
  const base = baseLayout(theme);
  return {
    data: [...data, ...marked.trace],
    grows: {
      base: [
        input.key,
        steps === lineSteps ? 0 : drawnWindow(input, steps).endMs,
        history.generation,
        endMs,
        length,
        markers.length,
        titles.top,
        titles.rightTop,
        theme.panel,
      ].join(),
      count: data[0]?.x.length ?? 0,
      wholeEveryMs: stepMs,
    },
    layout: {
      ...base,
      legend: { ...base.legend, traceorder: 'normal' },
      uirevision: `${input.key} ${input.chosenMs}`,
      // With a right axis or without: the same second is at the same place in every chart.
      margin: { l: 52, r: 52, t: 8, b: 26 },
      hovermode: 'x unified',
      // Behind the line of the cursor plotly draws a wider one in the colour of the paper.
      paper_bgcolor: theme.panel,
      shapes: marked.shapes,
      barmode: 'stack',
      bargap: 0,
      xaxis: timeAxis([localMs(fromMs), localMs(endMs)], length, theme),
      yaxis: titles.top === undefined ? axis : { ...axis, range: [0, titles.top], autorange: false },
      ...(titles.right === undefined
        ? {}
        : {
            yaxis2: {
              ...valueAxis({ theme }, titles.right),
              overlaying: 'y',
              side: 'right',
              tickmode: 'auto',
              nticks: 5,
              showgrid: false,
              ...(titles.rightTop === undefined ? {} : { range: [0, titles.rightTop], autorange: false }),
            },
          }),
    },
  };
}
