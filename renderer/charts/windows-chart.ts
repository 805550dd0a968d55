import { formatMs, formatRate } from '../../main/contract/numbers';
import type { Scenario } from '../../main/contract/run/run-events';
import { type Sweep, sweepTitle } from '../../main/contract/run/sweep';
import { budgetView } from './budget-line';
import { baseLayout, type Chart, lineAcross } from './chart';
import type { ChartTheme } from './chart-theme';
import { axisStyle, valueAxis } from './sweep-axis';
import type { Axis, ChartLayout, Trace } from './trace';
import { levelAt, windowNumbers, type WindowSeries } from './window-series';

const mostNames = 16;

/** Windows whose texts are written beforehand; of more, one pattern says what a hover asks for. */
const mostTexts = 300;

interface WindowsInput {
  readonly scenario: Scenario;
  readonly sweep: Sweep;
  readonly series: WindowSeries;
  readonly budgetMs: number | null;
  readonly theme: ChartTheme;
}

/** Room for more windows, so that the axis does not change with each. */
export function axisEnd(count: number): number {
  if (count <= mostTexts) return Math.max(count, 1);
  const step = 10 ** Math.floor(Math.log10(count)) / 50;
  return Math.ceil((count + step / 2) / step) * step;
}

function windowText({ sweep, series }: WindowsInput, at: number): string {
  const said = (name: string, valueMs: number | undefined): string =>
    valueMs === undefined || Number.isNaN(valueMs) ? '' : ` · ${name} ${formatMs(valueMs * 1000)} ms`;
  return [
    `Window ${at + 1}, ${sweepTitle[sweep].toLowerCase()} ${levelAt(series, at) ?? ''}${sweep === 'requestRate' ? ' requests/s' : ''}`,
    `<br>${formatRate(series.inferencesPerSecond[at] ?? 0)} inferences/s`,
    said('avg', series.avgMs[at]),
    said('p50', series.p50Ms[at]),
    said(series.scheduledP99Ms === undefined ? 'p99' : 'p99 from send', series.p99Ms[at]),
    said('p99 from schedule', series.scheduledP99Ms?.[at]),
  ].join('');
}

interface LineStyle {
  readonly color: string;
  readonly symbol: string;
  readonly dash?: string;
  readonly right?: boolean;
}

function windowLine(input: WindowsInput, name: string, y: Float64Array, style: LineStyle): Trace {
  const { count } = input.series;
  const { color, symbol, dash = 'solid', right = false } = style;
  return {
    type: 'scatter',
    // Symbols for so many windows that they can be told apart; a line alone for more.
    mode: count <= 120 ? 'lines+markers' : 'lines',
    name,
    x: windowNumbers(count),
    y,
    ...(right ? { yaxis: 'y2' } : {}),
    line: { color, width: 1.5, dash },
    marker: { color, size: 5, symbol },
    hoverinfo: 'text',
    ...(count <= mostTexts
      ? { textAt: (at: number) => windowText(input, at) }
      : {
          hovertemplate: `Window %{x}<br>${name} %{y:,.4~r} ${right ? 'inferences/s' : 'ms'}<extra></extra>`,
        }),
  };
}

function windowLines(input: WindowsInput): readonly Trace[] {
  const { series, theme } = input;
  const { scheduledP99Ms, p99Ms, p50Ms, avgMs, inferencesPerSecond } = series;
  const p99 = { color: theme.p99, symbol: 'triangle-up' };
  return [
    ...(scheduledP99Ms === undefined
      ? [windowLine(input, 'p99', p99Ms, p99)]
      : [
          windowLine(input, 'p99 from schedule', scheduledP99Ms, { color: theme.p95, symbol: 'diamond' }),
          windowLine(input, 'p99 from send', p99Ms, p99),
        ]),
    windowLine(input, 'p50', p50Ms, { color: theme.p50, symbol: 'circle' }),
    windowLine(input, 'avg', avgMs, { color: theme.avg, symbol: 'pentagon', dash: 'dot' }),
    windowLine(input, 'Throughput', inferencesPerSecond, {
      color: theme.batch,
      symbol: 'square',
      dash: 'dash',
      right: true,
    }),
  ];
}

const levelStarts = ({ series, theme }: WindowsInput): readonly object[] =>
  series.starts.slice(1).map(({ at }) => lineAcross(at + 0.5, theme.line));

function windowsAxis({ series, sweep, theme }: WindowsInput, end: number): Axis {
  const skip = Math.ceil(series.starts.length / mostNames);
  const named = series.starts.filter((_start, index) => index % skip === 0);
  return {
    type: 'linear',
    ...axisStyle(theme, `Windows in the order of measuring, by ${sweepTitle[sweep].toLowerCase()}`),
    tickvals: named.map((start) => start.at + 1),
    ticktext: named.map((start) => String(start.level)),
    gridcolor: 'rgba(0,0,0,0)',
    range: [0.5, end + 0.5],
    autorange: false,
    ticklabeloverflow: 'allow',
  };
}

export function windowsChart(input: WindowsInput): Chart {
  const { series, theme, scenario, budgetMs } = input;
  const end = axisEnd(series.count);
  const lines = windowLines(input);
  const viewOf = (drawn: readonly Trace[]) =>
    budgetView(
      drawn.filter(({ meta }) => meta === undefined),
      budgetMs,
      [0.5, end + 0.5],
      theme,
    );
  const layoutOf = (drawn: readonly Trace[]): ChartLayout => {
    const budget = viewOf(drawn);
    return {
      ...baseLayout(theme),
      margin: { l: 56, r: 56, t: 6, b: 38 },
      shapes: [...levelStarts(input), ...budget.shapes],
      xaxis: windowsAxis(input, end),
      yaxis: { ...valueAxis(input, 'Latency (ms)'), ...budget.axis },
      yaxis2: {
        ...valueAxis(input, 'Inferences/s'),
        overlaying: 'y',
        side: 'right',
        tickmode: 'auto',
        showgrid: false,
      },
    };
  };
  const base = [scenario, series.starts.length, budgetMs, theme.text, end].join(' ');
  return {
    ...(series.count <= mostTexts ? {} : { grows: { base, count: series.count } }),
    data: [...lines, ...viewOf(lines).traces],
    layout: layoutOf(lines),
    layoutOf,
  };
}
