import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localMs } from '../../../../../renderer/charts/monitor/history-columns';
import { chartCsv } from '../../../../../renderer/charts/plot/chart-csv';
import { decimate } from '../../../../../renderer/charts/plot/decimate';
import { drawTrace } from '../../../../../renderer/charts/plot/draw-trace';
import { rangeAfter } from '../../../../../renderer/charts/plot/shared-cursor';
import type { Trace } from '../../../../../renderer/charts/trace';

const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
  minLength: 1,
  maxLength: 3000,
});
const limits = fc.integer({ min: 4, max: 200 });

describe('decimation', () => {
  it('leaves few points alone', () => {
    expect(decimate([1, 2, 3], 3)).toBeNull();
  });

  it('keeps to the limit, the order, both ends and both extremes', () => {
    fc.assert(
      fc.property(values, limits, (list, limit) => {
        const kept = decimate(list, limit);
        if (kept === null) return list.length <= limit;
        const seen = kept.map((index) => list[index] ?? NaN);
        return (
          kept.length <= limit &&
          kept.every((index, at) => at === 0 || index > (kept[at - 1] ?? Infinity)) &&
          kept[0] === 0 &&
          kept.at(-1) === list.length - 1 &&
          Math.max(...seen) === Math.max(...list) &&
          Math.min(...seen) === Math.min(...list)
        );
      }),
    );
  });

  it('keeps a single outlier, wherever it stands, in 100,000 points', () => {
    for (const place of [0, 1, 49_999, 77_777, 99_999]) {
      const list = new Float64Array(100_000).fill(5);
      list[place] = 900;
      expect(decimate(list, 5000)).toContain(place);
    }
  });

  it('keeps a gap', () => {
    const list = Array.from({ length: 1000 }, (_unused, index) => (index === 500 ? NaN : index));
    const kept = decimate(list, 50) ?? [];
    expect(kept).toContain(500);
    expect(kept.length).toBeLessThanOrEqual(50);
  });
});

const trace: Trace = {
  type: 'scatter',
  mode: 'lines',
  name: 'p99',
  x: Float64Array.from({ length: 1000 }, (_unused, index) => index),
  y: Float64Array.from({ length: 1000 }, (_unused, index) => Math.sin(index)),
  textAt: (index) => `point ${index}`,
  hoverinfo: 'text',
};

describe('a trace as it is drawn', () => {
  it('has the text of every point that stays, and asks for no other', () => {
    const asked: number[] = [];
    const drawn = drawTrace(
      {
        ...trace,
        textAt: (index) => {
          asked.push(index);
          return `point ${index}`;
        },
      },
      null,
      100,
    ) as { x: number[]; hovertext: string[] };
    expect(drawn.hovertext).toEqual(drawn.x.map((x) => `point ${x}`));
    expect(asked.length).toBe(drawn.x.length);
    expect(drawn.x.length).toBeLessThanOrEqual(100);
  });

  it('has the bars of the points that stay, upwards and downwards', () => {
    const x = Array.from({ length: 1000 }, (_unused, index) => index);
    const bars = { type: 'data', symmetric: false, color: '#000', thickness: 1, width: 3 } as const;
    const drawn = drawTrace(
      { ...trace, error_y: { ...bars, array: x, arrayminus: x.map((value) => value / 2) } },
      null,
      100,
    ) as { x: number[]; error_y: { array: number[]; arrayminus: number[] } };
    expect(drawn.error_y.array).toEqual(drawn.x);
    expect(drawn.error_y.arrayminus).toEqual(drawn.x.map((value) => value / 2));
  });

  it('shows every point of a part that was drawn up, and one beyond each border', () => {
    const drawn = drawTrace(trace, [199.5, 209.5], 100) as { x: number[] };
    expect(drawn.x).toEqual([199, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210]);
  });

  it('reads what a zoom says', () => {
    expect(rangeAfter({ 'xaxis.range[0]': 1, 'xaxis.range[1]': 2 })).toEqual([1, 2]);
    expect(rangeAfter({ 'xaxis.range': [1, 2] })).toEqual([1, 2]);
    expect(rangeAfter({ 'xaxis.autorange': true })).toBeNull();
    expect(rangeAfter({ 'yaxis.range[0]': 1 })).toBeUndefined();
  });
});

it('a chart as CSV has every point, one row an x, with titles and units', () => {
  const series = (name: string, x: number[], y: number[]): Trace => ({
    type: 'scatter',
    name,
    x,
    y,
    hoverinfo: 'text',
  });
  const layout = { xaxis: { title: { text: 'Concurrency' } }, yaxis: { title: { text: 'Latency, ms' } } };
  const text = chartCsv({ data: [series('p99', [1, 2], [3.5, 4]), series('p50', [2, 8], [1, NaN])], layout });
  expect(text).toBe('Concurrency,"p99 (Latency, ms)","p50 (Latency, ms)"\r\n1,3.5,\r\n2,4,1\r\n8,,\r\n');
});

it('a chart over time as CSV has moments in UTC, the unit of the axis that a series is drawn on, and no signs', () => {
  const atMs = Date.UTC(2026, 6, 1, 12);
  const x = [localMs(atMs)];
  const layout = {
    xaxis: { type: 'date' as const },
    yaxis: { title: { text: 'Requests/s' } },
    yaxis2: { title: { text: 'Errors, %' } },
  };
  const data: Trace[] = [
    { type: 'scatter', name: 'Requests', x, y: [5], hoverinfo: 'text' },
    { type: 'scatter', name: 'Errors', x, y: [1], yaxis: 'y2', hoverinfo: 'text' },
    { type: 'scatter', name: 'Events', meta: 'signs', x, y: [0], hoverinfo: 'text' },
  ];
  expect(chartCsv({ data, layout })).toBe(
    'Time,Requests (Requests/s),"Errors (Errors, %)"\r\n2026-07-01T12:00:00.000Z,5,1\r\n',
  );
});
