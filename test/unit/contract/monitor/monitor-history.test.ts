import { describe, expect, it } from 'vitest';
import { longestWindowMs, MonitorHistory } from '../../../../main/contract/monitor/monitor-history';
import { decimateSeries } from '../../../../main/monitor/monitor-charts';
import { monitorCsv } from '../../../../main/monitor/recording';
import { parseCsv } from '../../../support/parse-csv';
import { model, sample } from '../../monitor/fixtures';

const start = Date.UTC(2026, 0, 5, 11, 59, 0);
const key = 'model:echo/1';
const withRate = (second: number, rate: number) => {
  const known = model();
  return sample(start + second * 1000, {
    models: [{ ...known, rates: known.rates === null ? null : { ...known.rates, requestsPerSecond: rate } }],
  });
};

describe('the history', () => {
  it('gives back what was put in, over the border of an hour, and leaves holes empty', () => {
    const history = new MonitorHistory();
    for (let second = 0; second < 120; second += 1) if (second !== 70) history.add(withRate(second, second));
    const { timesMs, values } = history.series(key, 'requestsPerSecond', start, start + 119_000);
    expect(values).toHaveLength(120);
    expect(timesMs[0]).toBe(start);
    expect([values[0], values[59], values[60], values[119]]).toEqual([0, 59, 60, 119]);
    expect(values[70]).toBeNaN();
  });

  it('polls that are further apart stand for the time since the one before, and no more than their interval', () => {
    const history = new MonitorHistory();
    const slow = (second: number) => ({ ...withRate(second, second), intervalMs: 5000 });
    for (const second of [0, 5, 10, 30]) history.add(slow(second));
    const values = [...history.series(key, 'requestsPerSecond', start, start + 30_000).values];
    expect(values.slice(0, 11)).toEqual([0, 5, 5, 5, 5, 5, 10, 10, 10, 10, 10]);
    expect(values.slice(11, 26).every(Number.isNaN)).toBe(true);
    expect(values.slice(26)).toEqual([30, 30, 30, 30, 30]);
  });

  it('a sample with a hole has no figures', () => {
    const history = new MonitorHistory();
    history.add(withRate(0, 5));
    history.add(sample(start + 1000, { hole: 'no answer', models: [model({ rates: null })] }));
    expect(history.series(key, 'requestsPerSecond', 0, Infinity).values[1]).toBeNaN();
  });

  it('keeps 24 hours and no more', () => {
    const history = new MonitorHistory();
    const seconds = longestWindowMs / 1000;
    for (let second = 0; second < seconds + 3 * 3600; second += 60) history.add(withRate(second, second));
    const span = history.span();
    expect((span?.toMs ?? 0) - (span?.fromMs ?? 0)).toBe(longestWindowMs);
    expect(history.series(key, 'requestsPerSecond', 0, Infinity).values.length).toBe(seconds + 1);
  });

  it('does not take what a clock that was set back would write over', () => {
    const history = new MonitorHistory();
    history.add(withRate(10, 1));
    history.add(withRate(5, 2));
    expect(history.span()?.fromMs).toBe(start + 10_000);
  });

  it('comes back whole from its image', () => {
    const history = new MonitorHistory();
    for (let second = 0; second < 4000; second += 7) history.add(withRate(second, second));
    const copy = new MonitorHistory();
    copy.restore(structuredClone(history.image()));
    expect(copy.span()).toEqual(history.span());
    expect(copy.series(key, 'requestsPerSecond', 0, Infinity).values).toEqual(
      history.series(key, 'requestsPerSecond', 0, Infinity).values,
    );
    copy.add(withRate(4001, 9));
    expect(copy.series(key, 'requestsPerSecond', 0, Infinity).values.at(-1)).toBe(9);
  });
});

it('decimation keeps the outlier and the hole', () => {
  const values = new Float32Array(86_400).fill(1);
  values[40_000] = 900;
  values[50_000] = NaN;
  const timesMs = Float64Array.from(values, (_value, at) => at * 1000);
  const kept = decimateSeries({ timesMs, values }, 600);
  expect(kept.length).toBeLessThan(620);
  expect(kept).toContainEqual([40_000_000, 900]);
  expect(kept.some(([time, value]) => time === 50_000_000 && Number.isNaN(value))).toBe(true);
});

it('CSV has what waits for a model, and every figure of a GPU', () => {
  const history = new MonitorHistory();
  const gpu = {
    uuid: 'GPU-a',
    utilization: 0.5,
    memoryUsedBytes: 2 ** 30,
    memoryTotalBytes: 2 ** 34,
    powerWatts: 92.5,
    powerLimitWatts: null,
  };
  history.add(sample(start, { models: [model({ pending: 3 })], gpus: [gpu] }));
  const [header = [], ...rows] = parseCsv(monitorCsv(history));
  const cell = (subject: string, name: string) =>
    rows.find((row) => row[1] === subject)?.[header.indexOf(name)];
  expect(cell(key, 'pending')).toBe('3');
  expect(cell(key, 'powerWatts')).toBe('');
  expect(
    ['utilization', 'memoryUsedBytes', 'memoryTotalBytes', 'powerWatts', 'powerLimitWatts', 'pending'].map(
      (name) => cell('gpu:GPU-a', name),
    ),
  ).toEqual(['0.5', '1073742000', '17179870000', '92.5', '', '']);
});

it('CSV has a row for each second that was measured', () => {
  const history = new MonitorHistory();
  history.add(withRate(0, 5));
  history.add(sample(start + 1000, { hole: 'x', models: [model({ rates: null, pending: null })] }));
  history.add(withRate(2, 7));
  const rows = parseCsv(monitorCsv(history));
  expect(rows).toHaveLength(3);
  expect(rows[1]?.slice(0, 3)).toEqual(['2026-01-05T11:59:00.000Z', key, '5']);
  expect(rows[2]?.[2]).toBe('7');
});
