import { describe, expect, it } from 'vitest';
import { MonitorHistory } from '../../../../../main/contract/monitor/monitor-history';
import { chartThemes } from '../../../../../renderer/charts/chart-theme';
import { probeChart, rateChart } from '../../../../../renderer/charts/monitor/monitor-charts';
import { stackChart } from '../../../../../renderer/charts/monitor/monitor-stack-chart';
import { drawnWindow } from '../../../../../renderer/charts/monitor/monitor-time-chart';
import { rangeAfter } from '../../../../../renderer/charts/plot/shared-cursor';
import { gpuSentence, ruleModels } from '../../../../../renderer/views/monitor/monitor-text';
import { model, sample } from '../../../monitor/fixtures';

const start = Date.UTC(2026, 5, 1, 12);
const key = 'model:echo/1';

function filled(seconds: number): MonitorHistory {
  const history = new MonitorHistory();
  for (let second = 0; second < seconds; second += 1) {
    const known = model();
    const slow = second === 777 ? 90_000 : 100;
    const rates = known.rates === null || second === 50 ? null : { ...known.rates, queueUs: slow };
    history.add(
      sample(start + second * 1000, {
        models: [{ ...known, rates }],
        markers: second === 3 ? [{ atMs: start + 3000, kind: 'restart', text: 'Restarted <b>' }] : [],
      }),
    );
  }
  return history;
}
const input = (history: MonitorHistory, seconds: number) => ({
  history,
  key,
  fromMs: start,
  toMs: start + (seconds - 1) * 1000,
  chosenMs: 300_000,
  theme: chartThemes.light,
});

describe('the charts of the monitor', () => {
  it('a hole breaks the line', () => {
    const [requests] = rateChart(input(filled(100), 100)).data;
    expect(requests?.y).toHaveLength(100);
    expect(requests?.y[49]).toBe(10);
    expect(requests?.y[50]).toBeNaN();
  });

  it('keeps a zoom while the axis grows, until another range is chosen', () => {
    const revision = (seconds: number, chosenMs: number) =>
      rateChart({ ...input(filled(seconds), seconds), chosenMs }).layout['uirevision'];
    expect(revision(90, 300_000)).toBe(revision(20, 300_000));
    expect(revision(90, 60_000)).not.toBe(revision(90, 300_000));
  });

  it('between two steps of the window only the ends of the lines are new', () => {
    const day = (seconds: number) => ({
      ...input(filled(1), 1),
      fromMs: start,
      toMs: start + seconds * 1000,
    });
    const { fromMs, endMs, stepMs } = drawnWindow(day(86_400), 100);
    expect(stepMs).toBe(864_000);
    expect(endMs - fromMs).toBe(86_400_000);
    expect(endMs).toBeGreaterThanOrEqual(start + 86_400_000);
    expect(endMs % stepMs).toBe(0);
    const history = filled(90);
    const part = (to: number) =>
      rateChart({ ...input(history, 90), fromMs: start + to - 300_000, toMs: start + to });
    const [before, after, later] = [part(60_000), part(61_000), part(63_000)];
    expect(before.grows?.base).toBe(part(60_000).grows?.base);
    expect(after.grows?.base).toBe(part(63_000).grows?.base);
    expect(before.grows?.base).not.toBe(after.grows?.base);
    expect((later.grows?.count ?? 0) - (after.grows?.count ?? 0)).toBe(2);
    expect(later.layout.xaxis.range).toEqual(after.layout.xaxis.range);
  });

  it('what was restored is drawn whole', () => {
    const history = filled(90);
    const before = rateChart(input(history, 90)).grows?.base;
    history.restore(history.image());
    expect(rateChart(input(history, 90)).grows?.base).not.toBe(before);
  });

  it('the stack has a bar a second, none where nothing was measured', () => {
    const { data } = stackChart(input(filled(100), 100));
    const bars = data.filter((trace) => trace.type === 'bar');
    expect(bars.map((trace) => trace.name)).toEqual([
      'Queue',
      'Compute input',
      'Compute infer',
      'Compute output',
    ]);
    expect(bars[0]?.x).toHaveLength(99);
    expect(bars[0]?.y[0]).toBeCloseTo(0.1, 5);
  });

  it('of more seconds than bars the slowest of each run is shown', () => {
    const [queue] = stackChart(input(filled(4000), 4000)).data;
    expect(queue?.x.length).toBeLessThanOrEqual(240);
    expect(Math.max(...Array.from(queue?.y ?? []))).toBeCloseTo(90, 3);
  });

  it('what happened is a sign with its text, which is no markup', () => {
    const chart = probeChart(input(filled(10), 10));
    const events = chart.data.find((trace) => trace.name === 'Events');
    expect(events?.hovertext).toEqual(['Restarted &lt;b&gt;']);
    expect(chart.layout['shapes']).toHaveLength(1);
  });

  it('a zoom of a date axis is understood', () => {
    const change = { 'xaxis.range[0]': '2026-06-01 12:00:00', 'xaxis.range[1]': '2026-06-01 12:00:30.5' };
    expect(rangeAfter(change)).toEqual([start, start + 30_500]);
    expect(rangeAfter({ 'xaxis.range': ['late', 'later'] })).toBeUndefined();
  });
});

it('a rule can be of every model, of those that are seen, and of the one that it names', () => {
  const values = (model: string) =>
    ruleModels(['resnet', 'echo', 'echo'], { model }).map(({ value }) => value);
  expect(values('')).toEqual(['', 'echo', 'resnet']);
  expect(values('echo')).toEqual(['', 'echo', 'resnet']);
  expect(values('gone')).toEqual(['', 'echo', 'gone', 'resnet']);
  expect(ruleModels([], { model: '' })).toEqual([{ value: '', label: 'All models' }]);
});

it('a GPU says how much of its memory and power it takes', () => {
  const gpu = {
    uuid: 'GPU-a',
    utilization: 0.37,
    memoryUsedBytes: 1.5 * 2 ** 30,
    memoryTotalBytes: 80 * 2 ** 30,
    powerWatts: 92.4,
    powerLimitWatts: 300,
  };
  expect(gpuSentence(gpu)).toBe('37.0 % · 1.5 GiB of 80.0 GiB · 92 of 300 W');
  const bare = { ...gpu, utilization: null, memoryTotalBytes: null, powerLimitWatts: null };
  expect(gpuSentence(bare)).toBe('– · 1.5 GiB of – · 92 of – W');
});
