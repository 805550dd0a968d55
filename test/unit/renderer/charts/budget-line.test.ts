import { describe, expect, it } from 'vitest';
import { budgetView } from '../../../../renderer/charts/budget-line';
import { chartThemes } from '../../../../renderer/charts/chart-theme';
import { latencyChart } from '../../../../renderer/charts/latency-chart';
import { chartCsv } from '../../../../renderer/charts/plot/chart-csv';
import type { Trace } from '../../../../renderer/charts/trace';
import { completeState } from '../../../support/run-state';

const theme = chartThemes.dark;
const line = (y: readonly number[], up: readonly number[] = []): Trace => ({
  type: 'scatter',
  name: 'p99',
  x: y.map((_value, index) => index),
  y,
  hoverinfo: 'text',
  ...(up.length === 0 ? {} : { error_y: { type: 'data', array: up, color: 'red', thickness: 1, width: 2 } }),
});
const view = (traces: readonly Trace[], budgetMs: number | null) =>
  budgetView(traces, budgetMs, [1, 64], theme);

describe('the p99 budget in a chart', () => {
  it('is a solid line of its own color with the area above it shaded, and no label on the line', () => {
    const state = completeState();
    const chart = latencyChart({
      scenario: 'online',
      state: state.scenarios.online,
      planned: [],
      level: null,
      budgetMs: 20,
      theme,
    });
    const limit = chart.data.find(({ meta }) => meta === 'limit');
    expect(limit).toMatchObject({
      name: 'p99 budget 20 ms',
      y: [20, 20],
      line: { dash: 'solid', color: theme.budget },
    });
    // From one end of the axis to the other.
    expect(Number(limit?.x[0])).toBeLessThan(1);
    expect(Number(limit?.x[1])).toBeGreaterThan(64);
    const top = chart.layout.yaxis.range?.[1] ?? NaN;
    expect(chart.layout['shapes']).toEqual([
      expect.objectContaining({ type: 'rect', y0: 20, y1: top, fillcolor: theme.overBudget }),
    ]);
    expect(chart.layout['annotations']).toBeUndefined();
    expect(chartCsv(chart)).not.toContain('budget');
    expect(new Set([theme.budget, theme.dim, theme.p99]).size).toBe(3);
  });

  it('far above all values leaves them the height of the chart, and the legend says so', () => {
    const { traces, shapes, axis } = view([line([1, 3])], 20);
    expect(traces[0]?.name).toBe('p99 budget 20 ms, above this chart');
    expect(shapes).toEqual([]);
    expect(axis.range?.[1]).toBeLessThan(5);
    expect(view([], 20).axis.range?.[1]).toBeGreaterThan(20);
  });

  it('is in the chart wherever a value is near it or above', () => {
    for (const top of [7, 20, 90]) expect(view([line([1, top])], 20).axis.range?.[1]).toBeGreaterThan(20);
  });
});

describe('long error bars', () => {
  it('do not press the lines to the foot of the chart', () => {
    expect(view([line([2, 50], [1, 45])], null).axis.range?.[1]).toBeLessThan(85);
    expect(view([line([2, 50], [1, 5])], null).axis).toEqual({});
    expect(view([line([2, NaN])], null).axis).toEqual({});
  });
});
