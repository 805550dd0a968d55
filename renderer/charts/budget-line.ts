import { chartSigns } from '../../main/domain/measured/chart-lines';
import type { ChartTheme } from './chart-theme';
import type { Axis, Trace } from './trace';

/** A budget this many times as high as everything that is drawn would press the lines to the foot of the chart. */
const farAbove = 3;

/** Free above the highest line, as a share of the axis. */
const headroom = 1.08;

/** Error bars reach this far above the highest value at most; longer ones run out of the chart. */
const barRoom = 1.5;

interface BudgetView {
  readonly traces: readonly Trace[];
  readonly shapes: readonly object[];
  /** Absent: plotly chooses. */
  readonly axis: Pick<Axis, 'range'> & { readonly autorange?: false };
}

/** Milliseconds. */
function highest(traces: readonly Trace[]): { readonly values: number; readonly bars: number } {
  let values = 0;
  let bars = 0;
  for (const { y, yaxis, error_y: error } of traces) {
    if (yaxis !== undefined) continue;
    for (let index = 0; index < y.length; index += 1) {
      const value = y[index] ?? NaN;
      if (Number.isNaN(value)) continue;
      values = Math.max(values, value);
      bars = Math.max(bars, value + (error?.array[index] ?? 0));
    }
  }
  return { values, bars };
}

/**
 * Latencies with their p99 budget: a thin solid line, and the area above it, which is over the budget, shaded. Where the
 * budget is far above everything measured the legend says so and the lines keep the height of the chart.
 * @param ends of the x axis, in its own values.
 */
export function budgetView(
  traces: readonly Trace[],
  budgetMs: number | null,
  ends: readonly [number, number],
  theme: ChartTheme,
  limitName: (limitMs: number) => string = chartSigns.budget,
): BudgetView {
  const { values, bars } = highest(traces);
  const cut = values > 0 && bars > values * barRoom;
  if (budgetMs === null) {
    return {
      traces: [],
      shapes: [],
      axis: cut ? { range: [0, values * barRoom * headroom], autorange: false } : {},
    };
  }
  const isFar = values > 0 && budgetMs > values * farAbove;
  const dataTop = Math.max(values, Math.min(bars, values * barRoom));
  const top = (isFar ? dataTop : Math.max(dataTop, budgetMs * 1.15)) * headroom;
  const name = limitName(budgetMs);
  return {
    traces: [
      {
        type: 'scatter',
        mode: 'lines',
        name: isFar ? `${name}, above this chart` : name,
        meta: 'limit',
        x: ends,
        y: [budgetMs, budgetMs],
        line: { color: theme.budget, width: 1.25, dash: 'solid' },
        hoverinfo: 'skip',
      },
    ],
    shapes: isFar
      ? []
      : [
          {
            type: 'rect',
            layer: 'below',
            xref: 'paper',
            x0: 0,
            x1: 1,
            yref: 'y',
            y0: budgetMs,
            y1: top,
            fillcolor: theme.overBudget,
            line: { width: 0 },
          },
        ],
    axis: { range: [0, top], autorange: false },
  };
}
