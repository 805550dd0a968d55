import { describe, expect, it } from 'vitest';
import { components } from '../../../../main/contract/measured/columns';
import { componentColors } from '../../../../main/domain/measured/chart-lines';
import { type SweepInput, withMeasuredScale } from '../../../../renderer/charts/chart';
import { chartThemes } from '../../../../renderer/charts/chart-theme';
import { componentsChart } from '../../../../renderer/charts/components-chart';
import { plain } from '../../../../renderer/charts/hover-text';
import { latencyChart, throughputChart } from '../../../../renderer/charts/latency-chart';
import { chartCsv } from '../../../../renderer/charts/plot/chart-csv';
import { shownTraces } from '../../../../renderer/charts/plot/shown-traces';
import { isMultiplying, sweepAxis } from '../../../../renderer/charts/sweep-axis';
import { pointText } from '../../../../renderer/charts/sweep-series';
import { completeState, pointFixture } from '../../../support/run-state';

const state = completeState();
const online: SweepInput = {
  scenario: 'online',
  state: state.scenarios.online,
  planned: state.source.spec.performance.concurrency,
  level: null,
  budgetMs: null,
  theme: chartThemes.dark,
};
const offline: SweepInput = {
  ...online,
  scenario: 'offline',
  state: state.scenarios.offline,
  planned: state.source.spec.performance.batchSizes,
};
const level = {
  scenario: 'online',
  batchSize: 1,
  concurrency: 32,
  windows: [{ inferencesPerSecond: 321, p99Us: 5000 }],
} as const;

describe('the throughput chart', () => {
  it('has a point a level, sorted by load, with its interval', () => {
    const shuffled = { ...online, state: { ...online.state, points: [...online.state.points].reverse() } };
    const [series] = throughputChart(shuffled).data;
    const points = online.state.points.map((measured) => measured.point);
    expect(series?.x).toEqual([1, 2, 4, 8, 16, 64]);
    expect(series?.y).toEqual(points.map((point) => point.inferencesPerSecond));
    expect(series?.error_y?.array).toEqual(points.map((point) => point.throughputIntervalIps));
  });

  it('has what is predicted between its points beside them, as has the p99', () => {
    const predicted = [
      { load: 1, inferencesPerSecond: 200, p99Us: 6000 },
      { load: 3, inferencesPerSecond: 300, p99Us: 9000 },
    ];
    const named = (chart: { data: readonly { name: string }[] }, name: string) =>
      chart.data.find((trace) => trace.name === name);
    const throughput = throughputChart({ ...online, predicted });
    expect(named(throughput, 'Predicted, not measured')).toMatchObject({ x: [1, 3], y: [200, 300] });
    expect(throughput.data[0]?.x).toEqual([1, 2, 4, 8, 16, 64]);
    const latency = latencyChart({ ...online, predicted });
    expect(named(latency, 'p99 Predicted, not measured')).toMatchObject({ x: [1, 3], y: [6, 9] });
    expect(named(latencyChart({ ...online, predicted: [] }), 'p99 Predicted, not measured')).toBeUndefined();
  });

  it('draws levels that are not steady hollow and says why', () => {
    const [series] = throughputChart(offline).data;
    expect(series?.marker?.symbol).toEqual(['circle', 'circle', 'circle', 'circle-open', 'circle']);
    expect(series?.hovertext?.[3]).toContain('Not steady: throughput or latency still changed');
    expect(series?.hovertext?.[2]).not.toContain('Not steady');
  });

  it('draws a level without a result as a hole with the reason', () => {
    const hole = throughputChart(online).data.find((trace) => trace.name === 'No result');
    expect(hole?.x).toEqual([32]);
    expect(hole?.hovertext?.[0]).toContain('The load tool ended with exit code 99');
    expect(throughputChart(offline).data.some((trace) => trace.name === 'No result')).toBe(false);
    const lines = chartCsv(throughputChart(online)).trim().split('\r\n');
    expect(lines[0]).not.toContain('No result');
    // The level stays in the file, without a value.
    expect(lines.find((line) => line.startsWith('32,'))).toMatch(/^32,*$/);
  });

  it('shows the window of the level under way, in its own scenario only', () => {
    const live = throughputChart({ ...online, level }).data.find((trace) => trace.name === 'Measuring');
    expect(live).toMatchObject({ x: [32], y: [321] });
    expect(throughputChart({ ...offline, level }).data.some((trace) => trace.name === 'Measuring')).toBe(
      false,
    );
  });
});

describe('the latency chart', () => {
  it('has a series a percentile and the mean, in milliseconds, told apart by symbol', () => {
    const { data } = latencyChart(online);
    expect(data.slice(0, 5).map((trace) => trace.name)).toEqual(['p99', 'p95', 'p90', 'p50', 'avg']);
    const first = online.state.points[0]?.point ?? pointFixture();
    expect(data.slice(0, 5).map((trace) => trace.y[0])).toEqual(
      [first.p99Us, first.p95Us, first.p90Us, first.p50Us, first.avgUs].map((us) => (us ?? NaN) / 1000),
    );
    const symbols = data.slice(0, 5).map((trace) => String(trace.marker?.symbol?.[0]));
    expect(new Set(symbols).size).toBe(5);
  });

  it('has the interval of the p99 as bars, and all intervals in the text of a level', () => {
    expect(latencyChart(online).data.every((trace) => trace.error_y === undefined)).toBe(true);
    const sure = pointFixture({
      ...{ p50Us: 3000, p99Us: 5000, p99IntervalUs: 700 },
      latencyIntervals: { avgUs: 300, p50Us: 400, p90Us: null, p95Us: 600 },
    });
    const points = online.state.points.map((measured, index) =>
      index === 0 ? { ...measured, point: { ...sure, concurrency: measured.point.concurrency } } : measured,
    );
    const { data } = latencyChart({ ...online, state: { ...online.state, points } });
    const bars = shownTraces(data, null).filter((trace) => trace.error_y !== undefined);
    expect(bars.map((trace) => trace.name)).toEqual(['p99']);
    // A percentile that is shown alone has its own.
    const [p95, ...others] = shownTraces(data, 'p95');
    expect([p95?.name, p95?.error_y?.array[0]]).toEqual(['p95', 0.6]);
    expect(others.some((trace) => trace.error_y !== undefined)).toBe(false);
    expect(bars[0]?.error_y?.array[0]).toBe(0.7);
    expect(bars[0]?.error_y?.array.slice(1).every((half) => half === 0)).toBe(true);
    expect(bars[0]?.error_y?.arrayminus?.[0]).toBe(0.7);
    // As wide as the value itself or wider: a latency below zero is none.
    const wide = points.map((measured) => ({
      ...measured,
      point: { ...measured.point, p99Us: 5000, p99IntervalUs: 8000 },
    }));
    const [p99] = latencyChart({ ...online, state: { ...online.state, points: wide } }).data;
    expect(p99?.error_y).toMatchObject({ symmetric: false });
    expect(p99?.error_y?.array).toEqual(wide.map(() => 8));
    expect(p99?.error_y?.arrayminus).toEqual(wide.map(() => 5));
    const text = pointText(sure);
    expect(text).toContain('p50 3.00 ± 0.40 · p90 ');
    expect(text).toContain('p99 5.00 ± 0.70 ms');
    expect(text).not.toContain('± –');
  });

  it('shows no ring where the tool does not say the p99 of a window', () => {
    const silent = { ...level, windows: [{ inferencesPerSecond: 321, p99Us: null }] };
    expect(latencyChart({ ...online, level: silent }).data.some((trace) => trace.name === 'Measuring')).toBe(
      false,
    );
  });
});

describe('the chart of components', () => {
  it('stacks the seven parts in pipeline order up to their sum', () => {
    const { data, layout } = componentsChart(online);
    expect(layout['barmode']).toBe('stack');
    expect(data.map((trace) => trace.name)).toEqual(components.map((component) => component.title));
    online.state.points.forEach(({ point }, at) => {
      const sum = data.reduce((total, trace) => total + (trace.y[at] ?? 0), 0);
      const expected = components.reduce((total, part) => total + Number(part.read(point) ?? NaN), 0) / 1000;
      expect(sum).toBeCloseTo(expected, 9);
    });
  });

  it('keeps the place of levels without a result', () => {
    expect(componentsChart(online).layout.xaxis['categoryarray']).toContain('32');
  });
});

it('components have one color each, the same in both themes and in the report', () => {
  for (const theme of Object.values(chartThemes)) expect(theme.components).toBe(componentColors);
  expect(new Set(componentColors).size).toBe(components.length);
});

describe('the axis of a sweep', () => {
  it('is logarithmic where the sweep multiplies', () => {
    expect(isMultiplying([1, 2, 4, 8])).toBe(true);
    expect(isMultiplying([16, 32, 48, 64])).toBe(false);
    expect(isMultiplying([1, 2])).toBe(false);
    expect(sweepAxis(online)).toMatchObject({ type: 'log', tickvals: [1, 2, 4, 8, 16, 32, 64] });
  });

  it('says that it is logarithmic, and only then', () => {
    expect(sweepAxis(online)['title']).toMatchObject({ text: 'Concurrency (log scale)' });
    const even = { ...online, state: { points: [], missing: [] }, planned: [16, 32, 48, 64] };
    expect(sweepAxis(even)['title']).toMatchObject({ text: 'Concurrency' });
  });

  it('keeps the slope and the labels of the run beside published levels of another step', () => {
    const points = Array.from({ length: 16 }, (_unused, index) => ({
      ...{ load: 16 * (index + 1), batchSize: 1, concurrency: 1, inferencesPerSecond: 1 },
      ...{ p50Ms: 1, p95Ms: 1, p99Ms: 1 },
    }));
    const { type, tickvals } = sweepAxis({ ...online, baseline: { label: 'published', points } });
    expect(type).toBe('log');
    expect(tickvals).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
  });

  it('has room for every planned level before the first is measured', () => {
    const empty = { ...online, state: { points: [], missing: [] }, planned: [16, 32, 48, 64] };
    const { range, tickvals } = sweepAxis(empty);
    expect(tickvals).toEqual([16, 32, 48, 64]);
    expect(range?.[0]).toBeLessThan(16);
    expect(range?.[1]).toBeGreaterThan(64);
  });
});

it('text of a server is never markup in a hover', () => {
  expect(plain('<a href="x">&</a>')).toBe('&lt;a href="x"&gt;&amp;&lt;/a&gt;');
});

describe('a chart without a value', () => {
  it('has no numbers on its scale, and those of the data as soon as there is one', () => {
    const empty = withMeasuredScale(throughputChart({ ...offline, state: { points: [], missing: [] } }));
    expect(empty.layout.yaxis['showticklabels']).toBe(false);
    const measured = throughputChart(offline);
    expect(withMeasuredScale(measured)).toBe(measured);
  });
});
