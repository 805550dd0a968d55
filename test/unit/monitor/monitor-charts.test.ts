import { describe, expect, it } from 'vitest';
import { clockTicks, figures } from '../../../main/monitor/monitor-charts';
import { withoutMarks } from '../../support/unbroken';

const start = Date.UTC(2026, 0, 5, 12, 0, 7);

describe('the times at the axis of a chart', () => {
  it.each([
    [20, 340, ['12:00:10', '12:00:15', '12:00:20', '12:00:25']],
    [600, 340, ['12:02', '12:04', '12:06', '12:08', '12:10']],
    [600, 700, ['12:01', '12:02', '12:03', '12:04', '12:05', '12:06', '12:07', '12:08', '12:09', '12:10']],
    [30 * 3600, 700, ['01-05 18:00', '01-06 00:00', '01-06 06:00', '01-06 12:00', '01-06 18:00']],
    [20 * 86_400, 340, ['2026-01-08', '2026-01-15', '2026-01-22']],
    // Shorter than a second: its own time.
    [0, 340, ['12:00:07']],
  ] as const)('%d s at %d px are round and fit', (seconds, width, expected) => {
    const { timesMs, text } = clockTicks(start, start + seconds * 1000, width);
    expect(timesMs.map(text)).toEqual(expected);
  });
});

it('a chart names its axes, and draws the limit of the p99 with its value', () => {
  const series = {
    timesMs: Float64Array.of(start, start + 60_000),
    values: Float32Array.of(9000, 21_000),
  };
  const lines = [{ name: 'p99', color: '#0072b2', factor: 0.001, series }];
  const drawing = { id: 'probe', title: 'Probes, last minute', unit: 'ms', lines };
  const [limited, plain] = [{ ...drawing, limit: 20 }, drawing].map((one) =>
    withoutMarks(figures('echo/1', [one]).text),
  );
  for (const text of ['Time (UTC)', '>ms<', '12:00:30']) {
    expect(limited).toContain(text);
    expect(plain).toContain(text);
  }
  expect(limited).toContain('Limit of p99: 20 ms');
  expect(plain).not.toContain('Limit');
  // The only line needs no legend: the title names it.
  expect(plain).not.toContain('>p99<');
});
