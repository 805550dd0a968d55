import { describe, expect, it } from 'vitest';
import { chartThemes } from '../../../../../renderer/charts/chart-theme';
import { tailPath } from '../../../../../renderer/charts/plot/live-tail';
import type { WindowSeries } from '../../../../../renderer/charts/window-series';
import { axisEnd, windowsChart } from '../../../../../renderer/charts/windows-chart';

const axes = {
  x: { range: [0, 10] as const, toPixel: (value: number) => value * 10 },
  y: { range: [0, 100] as const, toPixel: (value: number) => 100 - value },
};

describe('the end of a line that grows', () => {
  it('goes on from the last point that was drawn', () => {
    expect(tailPath([1, 2, 3], [1, 2, 3], 1, axes)).toBe('M20.00,98.00L30.00,97.00');
  });

  it('breaks where there is no value', () => {
    expect(tailPath([1, NaN, 3, 4], [1, 2, 3, 4], 0, axes)).toBe('M10.00,99.00M30.00,97.00L40.00,96.00');
  });

  it('is not drawn when a value is outside the axis that stands', () => {
    expect(tailPath([1, 101], [1, 2], 0, axes)).toBeNull();
  });
});

describe('the chart of windows while they come', () => {
  const seriesOf = (count: number): WindowSeries => ({
    count,
    p50Ms: new Float64Array(count),
    avgMs: new Float64Array(count),
    p99Ms: new Float64Array(count),
    inferencesPerSecond: new Float64Array(count),
    starts: [{ at: 0, level: 1 }],
  });
  const chartOf = (count: number, budgetMs: number | null = null) =>
    windowsChart({
      scenario: 'online',
      sweep: 'concurrency',
      series: seriesOf(count),
      budgetMs,
      theme: chartThemes.dark,
    });

  it('keeps its axis for a while, and the axis holds every window', () => {
    for (const count of [1, 300, 301, 999, 1000, 12_345, 100_000]) {
      expect(axisEnd(count)).toBeGreaterThanOrEqual(count);
      expect(axisEnd(count)).toBeLessThanOrEqual(count * 1.03 + 1);
    }
    expect(chartOf(100_101).grows?.base).toBe(chartOf(100_102).grows?.base);
    expect(chartOf(100_101).layout.xaxis.range).toEqual(chartOf(100_102).layout.xaxis.range);
  });

  it('is another one for another budget, and is drawn whole while it is short', () => {
    expect(chartOf(1000, 5).grows?.base).not.toBe(chartOf(1000).grows?.base);
    expect(chartOf(300).grows).toBeUndefined();
  });
});
