import type { MonitorMarker } from '../../main/contract/monitor';
import type { MonitorHistory, MonitorSeries, SeriesField } from '../../main/contract/monitor-history';
import type { Chart } from './chart';
import { baseLayout, plain } from './chart';
import type { ChartTheme } from './chart-theme';
import { valueAxis } from './sweep-axis';
import type { Trace } from './trace';

/** Vertical lines that can be told apart. */
const mostMarkers = 60;
/** Bars that can be told apart in half a page. */
const mostBars = 240;

export interface MonitorChartInput {
  readonly history: MonitorHistory;
  /** `model:<name>/<version>` or `gpu:<uuid>`. */
  readonly key: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly theme: ChartTheme;
}

/** Plotly shows times as if they were UTC; the reader's clock is not. */
const localMs = (ms: number): number => ms - new Date(ms).getTimezoneOffset() * 60_000;

function local(timesMs: Float64Array): Float64Array {
  const offset = timesMs.length === 0 ? 0 : localMs(timesMs[0] ?? 0) - (timesMs[0] ?? 0);
  return timesMs.map((ms) => ms + offset);
}

function scaled(values: Float32Array, factor: number): Float32Array {
  return factor === 1 ? values : values.map((value) => value * factor);
}

interface Look {
  readonly name: string;
  readonly color: string;
  readonly unit: string;
  readonly factor?: number;
  readonly dash?: string;
  readonly right?: boolean;
}

function line(series: MonitorSeries, look: Look): Trace {
  return {
    type: 'scatter',
    mode: 'lines',
    name: look.name,
    x: local(series.timesMs),
    y: scaled(series.values, look.factor ?? 1),
    ...(look.right === true ? { yaxis: 'y2' } : {}),
    line: { color: look.color, width: 1.5, dash: look.dash ?? 'solid' },
    hoverinfo: 'text',
    hovertemplate: `%{x|%H:%M:%S}<br>${look.name} %{y:,.4~r} ${look.unit}<extra></extra>`,
  };
}

/** Where something happened: a line across, and a sign at its foot that says what. */
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
            {
              type: 'scatter',
              mode: 'markers',
              name: 'Events',
              x,
              y: shown.map(() => 0),
              showlegend: false,
              cliponaxis: false,
              hoverinfo: 'text',
              hovertext: shown.map((marker) => plain(marker.text)),
              marker: { color: theme.hole, size: 8, symbol: 'diamond' },
            },
          ],
    shapes: x.map((at) => ({
      type: 'line',
      xref: 'x',
      x0: at,
      x1: at,
      yref: 'paper',
      y0: 0,
      y1: 1,
      line: { color: theme.hole, width: 1, dash: 'dot' },
    })),
  };
}

function timeChart(
  input: MonitorChartInput,
  data: readonly Trace[],
  titles: {
    readonly left: string;
    readonly right?: string;
    /** Upper ends of the axes; absent: what the values ask for. */
    readonly top?: number;
    readonly rightTop?: number;
  },
): Chart {
  const { theme, fromMs, toMs } = input;
  const marked = markerParts(input.history.markers(fromMs, toMs), theme);
  const base = baseLayout(theme);
  const axis = valueAxis({ theme }, titles.left);
  const right = titles.right === undefined ? 12 : 52;
  return {
    data: [...data, ...marked.trace],
    layout: {
      ...base,
      legend: { ...base.legend, traceorder: 'normal' },
      // A zoom is kept while points land, and given up with another length of the window.
      uirevision: `${input.key} ${Math.round((toMs - fromMs) / 1000)}`,
      margin: { l: 52, r: right, t: 6, b: 26 },
      shapes: marked.shapes,
      barmode: 'stack',
      bargap: 0,
      xaxis: {
        type: 'date',
        range: [localMs(fromMs), localMs(toMs)],
        autorange: false,
        tickformat: toMs - fromMs > 2 * 3600_000 ? '%H:%M' : '%H:%M:%S',
        nticks: 7,
        tickfont: { color: theme.dim },
        gridcolor: 'rgba(0,0,0,0)',
        linecolor: theme.line,
        zeroline: false,
      },
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
      showlegend: true,
    },
  };
}

const read = ({ history, key, fromMs, toMs }: MonitorChartInput, field: SeriesField): MonitorSeries =>
  history.series(key, field, fromMs, toMs);

/** Requests a second, and how many of them failed. */
export function rateChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  const errors = read(input, 'errorShare');
  const worst = errors.values.reduce((most, share) => (share > most ? share : most), 0);
  return timeChart(
    input,
    [
      line(read(input, 'requestsPerSecond'), {
        name: 'Requests',
        color: theme.throughput,
        unit: 'requests/s',
      }),
      line(errors, {
        name: 'Errors',
        color: theme.p99,
        unit: '%',
        factor: 100,
        dash: 'dash',
        right: true,
      }),
    ],
    // A line at the foot says that nothing failed; one per cent must not look like all of it.
    { left: 'Requests/s', right: 'Errors, %', rightTop: Math.max(5, worst * 110) },
  );
}

/** Seconds to draw as bars: every one, or of each run of them the slowest, so that no outlier is lost. */
function barSeconds(total: Float32Array): { readonly at: readonly number[]; readonly seconds: number } {
  const length = Math.max(1, Math.ceil(total.length / mostBars));
  const at: number[] = [];
  for (let from = 0; from < total.length; from += length) {
    let best = -1;
    for (let index = from; index < Math.min(total.length, from + length); index += 1) {
      const value = total[index] ?? NaN;
      if (!Number.isNaN(value) && (best < 0 || value > (total[best] ?? NaN))) best = index;
    }
    if (best >= 0) at.push(best);
  }
  return { at, seconds: length };
}

const stack = [
  ['Queue', 'queueUs', 2],
  ['Compute input', 'computeInputUs', 3],
  ['Compute infer', 'computeInferUs', 4],
  ['Compute output', 'computeOutputUs', 5],
] as const;

/** Where a request spends its time in the server, as a stack. A second without requests has no bar. */
export function stackChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  const series = stack.map(([, field]) => read(input, field));
  const [first] = series;
  const total = Float32Array.from({ length: first?.values.length ?? 0 }, (_unused, at) =>
    series.reduce((sum, { values }) => sum + (values[at] ?? NaN), 0),
  );
  const { at, seconds } = barSeconds(total);
  const times = first === undefined ? new Float64Array(0) : local(first.timesMs);
  const x = at.map((index) => times[index] ?? NaN);
  const data = stack.map(([name, , color], index): Trace => {
    const values = series[index]?.values;
    return {
      type: 'bar',
      name,
      x,
      y: at.map((second) => (values?.[second] ?? NaN) / 1000),
      width: seconds * 1000,
      marker: { color: theme.components[color], line: { width: 0 } },
      hoverinfo: 'text',
      hovertemplate: `%{x|%H:%M:%S}<br>${name} %{y:,.4~r} ms${seconds > 1 ? `<br>slowest of ${seconds} s` : ''}<extra></extra>`,
    };
  });
  return timeChart(input, data, { left: 'Mean a request, ms' });
}

/** What the probes saw from outside. */
export function probeChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  const of = (name: string, field: SeriesField, color: string, dash = 'solid') =>
    line(read(input, field), { name, color, dash, unit: 'ms', factor: 0.001 });
  return timeChart(
    input,
    [
      of('Slowest', 'probeWorstUs', theme.avg, 'dot'),
      of('p50', 'probeP50Us', theme.p50),
      of('p95', 'probeP95Us', theme.p95, 'dash'),
      of('p99', 'probeP99Us', theme.p99),
    ],
    { left: 'Probe latency, ms' },
  );
}

/** How many items an execution takes together. */
export function batchSizeChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  return timeChart(
    input,
    [
      line(read(input, 'batch'), { name: 'Mean batch', color: theme.batch, unit: 'items an execution' }),
      line(read(input, 'inferencesPerSecond'), {
        name: 'Inferences',
        color: theme.throughput,
        unit: 'inferences/s',
        dash: 'dash',
        right: true,
      }),
    ],
    { left: 'Mean batch', right: 'Inferences/s' },
  );
}

/** Utilisation, memory and power of one GPU. */
export function gpuChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  return timeChart(
    input,
    [
      line(read(input, 'utilization'), {
        name: 'Utilisation',
        color: theme.throughput,
        unit: '%',
        factor: 100,
      }),
      line(read(input, 'powerWatts'), {
        name: 'Power',
        color: theme.p95,
        unit: 'W',
        dash: 'dash',
        right: true,
      }),
      line(read(input, 'memoryUsedBytes'), {
        name: 'Memory, GiB',
        color: theme.batch,
        unit: 'GiB',
        factor: 1 / 2 ** 30,
        dash: 'dot',
        right: true,
      }),
    ],
    { left: 'Utilisation, %', right: 'W, GiB', top: 100 },
  );
}
