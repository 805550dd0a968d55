import { describe, expect, it } from 'vitest';
import { MonitorHistory } from '../../../../../main/contract/monitor/monitor-history';
import { chartThemes } from '../../../../../renderer/charts/chart-theme';
import { aboveSigns, clippedTop } from '../../../../../renderer/charts/monitor/clipped-axis';
import { localMs } from '../../../../../renderer/charts/monitor/history-columns';
import {
  batchSizeChart,
  gpuChart,
  probeChart,
  rateChart,
} from '../../../../../renderer/charts/monitor/monitor-charts';
import { stackChart } from '../../../../../renderer/charts/monitor/monitor-stack-chart';
import { SharedCursor } from '../../../../../renderer/charts/plot/shared-cursor';
import { model, sample } from '../../../monitor/fixtures';

const theme = chartThemes.dark;
const start = Date.UTC(2026, 5, 1, 12);

function history(seconds: number): MonitorHistory {
  const seen = new MonitorHistory();
  for (let second = 0; second < seconds; second += 1) {
    const known = model();
    const queueUs = second === 777 ? 90_000 : 100;
    const rates = known.rates === null ? null : { ...known.rates, queueUs };
    seen.add(sample(start + second * 1000, { models: [{ ...known, rates }] }));
  }
  return seen;
}
const input = (seconds: number) => ({
  history: history(seconds),
  key: 'model:echo/1',
  fromMs: start,
  toMs: start + (seconds - 1) * 1000,
  chosenMs: 300_000,
  theme,
});

describe('the time axes of the monitor', () => {
  it('are at one place in all charts, whichever has a right axis and however its steps are', () => {
    for (const seconds of [100, 4000]) {
      const of = input(seconds);
      const charts = [rateChart, stackChart, probeChart, batchSizeChart, gpuChart].map((draw) => draw(of));
      const places = charts.map(({ layout }) => [layout['margin'], layout.xaxis.range]);
      expect(new Set(places.map((place) => JSON.stringify(place))).size).toBe(1);
      expect(charts.map(({ layout }) => layout['hovermode'])).toEqual(charts.map(() => 'x unified'));
    }
  });
});

describe('a spike', () => {
  it('does not flatten the stack: it is cut at the edge, with a sign that says its value', () => {
    const chart = stackChart(input(4000));
    const top = chart.layout.yaxis.range?.[1] ?? NaN;
    expect(top).toBeLessThan(2);
    const sign = chart.data.find(({ name }) => name.startsWith('Above the axis'));
    expect(sign?.name).toBe('Above the axis, up to 90.53 ms');
    expect(sign?.y).toEqual([top]);
    expect(sign?.x[0]).toBe(localMs(start + 777_000));
    expect(sign?.hovertext?.[0]).toMatch(/^90\.53 ms at \d\d:\d\d:57, above the axis$/);
  });

  it('is one where nearly all values are far below it; a level that lasts is none', () => {
    const quiet = Array.from({ length: 200 }, () => 10);
    expect(clippedTop([quiet])).toBeNull();
    expect(clippedTop([[...quiet, 25]])).toBeNull();
    expect(clippedTop([[...quiet, 900]])).toBe(15);
    expect(clippedTop([[...quiet, ...quiet.map(() => 900)]])).toBeNull();
    // Seconds without a request are no values.
    expect(clippedTop([[...quiet.map(() => 0), 3, NaN]])).toBeNull();
    expect(clippedTop([])).toBeNull();
  });

  it('keeps its axis while values come', () => {
    const tops = Array.from({ length: 30 }, (_unused, more) =>
      clippedTop([[...Array.from({ length: 200 + more }, (_other, at) => 10 + (at % 7) / 10), 900]]),
    );
    expect(new Set(tops).size).toBe(1);
  });

  it('of several seconds has one sign, with the highest', () => {
    const x = [0, 1, 2, 3, 4, 5].map((second) => localMs(start + second * 1000));
    const [sign] = aboveSigns(x, [[1, 40, 60, 50, 1, 30]], 20, theme);
    expect(sign?.x).toEqual([x[2], x[5]]);
    expect(aboveSigns(x, [[1, 2, NaN, 2, 1, 2]], 20, theme)).toEqual([]);
  });
});

describe('the cursor of several charts', () => {
  it('tells the others where the pointer is, and of a zoom, until they leave', () => {
    const cursor = new SharedCursor();
    const events: string[] = [];
    const listener = (name: string) => ({
      onPoint: (x: number | null) => events.push(`${name} at ${x}`),
      onZoom: (range: readonly [number, number] | null) => events.push(`${name} sees ${range?.join()}`),
    });
    const [a, b, c] = [listener('a'), listener('b'), listener('c')];
    const leave = [a, b, c].map((each) => cursor.join(each));
    cursor.point(a, 5);
    leave[1]?.();
    cursor.zoom(a, [1, 2]);
    cursor.point(a, null);
    expect(events).toEqual(['b at 5', 'c at 5', 'c sees 1,2', 'c at null']);
  });
});
