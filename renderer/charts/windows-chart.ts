import { formatMs, formatRate } from '../../main/contract/numbers';
import type { Scenario } from '../../main/contract/run/run-events';
import { type Sweep, sweepTitle } from '../../main/contract/run/sweep';
import { budgetView } from './budget-line';
import { baseLayout, type Chart } from './chart';
import type { ChartTheme } from './chart-theme';
import { valueAxis } from './sweep-axis';
import type { ChartLayout, Trace } from './trace';
import { levelAt, windowNumbers, type WindowSeries } from './window-series';

/** Level names that stand beside each other without touching. */
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

/** Of many windows the axis has room for some more, so that it is the same while they come. */
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

/** Latency and throughput over time, one point a measurement window as it lands; a line where a level begins. */
export function windowsChart(input: WindowsInput): Chart {
  const { series, theme, scenario } = input;
  const scheduled = series.scheduledP99Ms;
  const x = windowNumbers(series.count);
  // Symbols for so many windows that they can be told apart; a line alone for more.
  const mode = series.count <= 120 ? 'lines+markers' : 'lines';
  const line = (
    name: string,
    y: Float64Array,
    color: string,
    look: { readonly symbol: string; readonly dash?: string; readonly right?: boolean },
  ): Trace => ({
    type: 'scatter',
    mode,
    name,
    x,
    y,
    ...(look.right === true ? { yaxis: 'y2' } : {}),
    line: { color, width: 1.5, dash: look.dash ?? 'solid' },
    marker: { color, size: 5, symbol: look.symbol },
    hoverinfo: 'text',
    ...(series.count <= mostTexts
      ? { textAt: (at: number) => windowText(input, at) }
      : {
          hovertemplate: `Window %{x}<br>${name} %{y:,.4~r} ${look.right === true ? 'inferences/s' : 'ms'}<extra></extra>`,
        }),
  });
  const skip = Math.ceil(series.starts.length / mostNames);
  const named = series.starts.filter((_start, index) => index % skip === 0);
  const end = axisEnd(series.count);
  const base = [scenario, series.starts.length, input.budgetMs, theme.text, end].join(' ');
  const lines = [
    ...(scheduled === undefined
      ? []
      : [line('p99 from schedule', scheduled, theme.p95, { symbol: 'diamond' })]),
    line(scheduled === undefined ? 'p99' : 'p99 from send', series.p99Ms, theme.p99, {
      symbol: 'triangle-up',
    }),
    line('p50', series.p50Ms, theme.p50, { symbol: 'circle' }),
    line('avg', series.avgMs, theme.avg, { symbol: 'pentagon', dash: 'dot' }),
    line('Throughput', series.inferencesPerSecond, theme.batch, {
      symbol: 'square',
      dash: 'dash',
      right: true,
    }),
  ];
  const viewOf = (drawn: readonly Trace[]) =>
    budgetView(
      drawn.filter(({ meta }) => meta === undefined),
      input.budgetMs,
      [0.5, end + 0.5],
      theme,
    );
  const layoutOf = (drawn: readonly Trace[]): ChartLayout => {
    const budget = viewOf(drawn);
    return {
      ...baseLayout(theme),
      margin: { l: 56, r: 56, t: 6, b: 38 },
      shapes: [
        ...series.starts.slice(1).map((start) => ({
          type: 'line',
          xref: 'x',
          x0: start.at + 0.5,
          x1: start.at + 0.5,
          yref: 'paper',
          y0: 0,
          y1: 1,
          line: { color: theme.line, width: 1, dash: 'dot' },
        })),
        ...budget.shapes,
      ],
      xaxis: {
        type: 'linear',
        title: {
          text: `Windows in the order of measuring, by ${sweepTitle[input.sweep].toLowerCase()}`,
          standoff: 6,
          font: { size: 11, color: theme.dim },
        },
        tickvals: named.map((start) => start.at + 1),
        ticktext: named.map((start) => String(start.level)),
        tickfont: { color: theme.dim },
        gridcolor: 'rgba(0,0,0,0)',
        linecolor: theme.line,
        zeroline: false,
        range: [0.5, end + 0.5],
        autorange: false,
        ticklabeloverflow: 'allow',
      },
      yaxis: { ...valueAxis(input, 'Latency, ms'), ...budget.axis },
      yaxis2: {
        ...valueAxis(input, 'Inferences/s'),
        overlaying: 'y',
        side: 'right',
        tickmode: 'auto',
        showgrid: false,
      },
      showlegend: true,
    };
  };
  return {
    ...(series.count <= mostTexts ? {} : { grows: { base, count: series.count } }),
    data: [...lines, ...viewOf(lines).traces],
    layout: layoutOf(lines),
    layoutOf,
  };
}
