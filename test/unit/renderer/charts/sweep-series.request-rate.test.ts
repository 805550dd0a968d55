import { describe, expect, it } from 'vitest';
import { answerOf } from '../../../../main/domain/measured/answer';
import { compareLevels } from '../../../../main/domain/measured/compare-levels';
import { keyFigures } from '../../../../main/domain/measured/key-figures';
import type { SweepInput } from '../../../../renderer/charts/chart';
import { chartThemes } from '../../../../renderer/charts/chart-theme';
import { compareChart } from '../../../../renderer/charts/compare-chart';
import { componentsChart } from '../../../../renderer/charts/components-chart';
import { latencyChart } from '../../../../renderer/charts/latency-chart';
import { landedWindows, withLiveWindows } from '../../../../renderer/charts/window-series';
import { windowsChart } from '../../../../renderer/charts/windows-chart';
import { rateState } from '../../../support/rate-run';
import { completeState } from '../../../support/run-state';

const theme = chartThemes.dark;
const state = rateState();
const input: SweepInput = {
  scenario: 'online',
  state: state.scenarios.online,
  planned: [50, 100, 200, 400],
  sweep: 'requestRate',
  level: null,
  budgetMs: null,
  theme,
};

describe('charts of request rates', () => {
  it('name the axis, and show both latencies with gaps where one is not known', () => {
    const chart = latencyChart(input);
    expect(chart.layout.xaxis['title']).toMatchObject({ text: 'Request rate (requests/s, log scale)' });
    const of = (name: string) => chart.data.find((trace) => trace.name === name);
    expect(of('p99 from schedule')?.y).toEqual([31, NaN, 31]);
    expect(of('p99 from send')?.y).toEqual([5, 5, 5]);
    expect(of('p99 from schedule')?.x).toEqual([50, 100, 200]);
  });

  it('say all of it when hovered, and that it is missing where it is', () => {
    const [series] = latencyChart(input).data;
    const [known = '', unknown = ''] = series?.hovertext ?? [];
    expect(known).toContain('50 requests/s');
    expect(known).toContain('49.50 requests/s achieved');
    expect(known).toMatch(/from schedule p50 7.*17 delayed/);
    expect(known).not.toContain('concurrency');
    expect(unknown).toContain('from schedule: not known');
    const hole = latencyChart(input).data.find((trace) => trace.name === 'No result');
    expect(hole?.hovertext?.[0]).toContain('batch size 1, 400 requests/s: no result');
  });

  it('are named before anything is measured', () => {
    const empty: SweepInput = { ...input, state: { points: [], missing: [] } };
    expect(componentsChart(empty).layout.xaxis['title']).toMatchObject({
      text: 'Request rate (requests/s)',
    });
  });

  it('name the rate of a window', () => {
    const series = landedWindows('online', state.scenarios.online);
    const chart = windowsChart({ scenario: 'online', sweep: 'requestRate', series, budgetMs: null, theme });
    expect(chart.data[0]?.textAt?.(0)).toContain('request rate 200 requests/s');
    expect(chart.data.map((trace) => trace.name)).toEqual([
      ...['p99 from schedule', 'p99 from send', 'p50', 'avg', 'Throughput'],
    ]);
  });

  it('take the windows under way with their latency from the schedule', () => {
    const landed = landedWindows('online', state.scenarios.online);
    const windows = [{ inferencesPerSecond: 7, p99Us: 2000, scheduledP99Us: 9000 }];
    const level = { scenario: 'online', batchSize: 1, concurrency: 128, requestRate: 400, windows } as const;
    const all = withLiveWindows('online', landed, level);
    expect(all.scheduledP99Ms?.[landed.count]).toBe(9);
    expect(all.p99Ms[landed.count]).toBe(2);
    expect(all.scheduledP99Ms?.[0]).toBeNaN();
  });
});

describe('figures of request rates', () => {
  it('hold a budget against the latency from the schedule', () => {
    expect(answerOf(state, 30)?.level?.point.requestRate).toBe(100);
    expect(answerOf(state, 31)?.level?.point.requestRate).toBe(200);
  });

  it('say where the p99 is taken from', () => {
    const [, p99] = keyFigures(state, {});
    expect(p99).toMatchObject({
      value: '31.00',
      note: 'from schedule, p50 7.00 · from send p99 5.00, p50 3.00 · 2,001 requests in 10.1 s',
    });
  });
});

describe('compared runs by rate and by concurrency', () => {
  const states = [completeState(), state];

  it('have no level in common, whatever the numbers', () => {
    const byConcurrency = compareLevels(states, 'concurrency');
    expect(byConcurrency.every(({ runs }) => runs[1] === null)).toBe(true);
    const byRate = compareLevels(states, 'requestRate');
    expect(byRate.map(({ level }) => level)).toEqual([50, 100, 200]);
    expect(byRate.every(({ runs }) => runs[0] === null)).toBe(true);
    expect(byRate[0]?.runs[1]?.scheduledP99Ms).toMatchObject({ value: 31 });
    expect(byRate[1]?.runs[1]?.scheduledP99Ms).toBeNull();
  });

  it('are drawn apart', () => {
    const runs = states.map((one, index) => ({ name: `Run ${index + 1}`, state: one }));
    const chart = compareChart(runs, 'requestRate', 'scheduledP99', theme);
    expect(chart.data.map((trace) => Array.from(trace.x))).toEqual([[], [50, 100, 200]]);
    expect(chart.layout.yaxis['title']).toMatchObject({ text: 'p99 from schedule (ms)' });
  });
});
