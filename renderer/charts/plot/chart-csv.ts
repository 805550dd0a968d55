import type { Chart } from '../chart';
import { momentOf } from '../monitor/history-columns';

const cell = (value: string): string => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

function titleOf(axis: { readonly [setting: string]: unknown }): string {
  const title = axis['title'];
  return typeof title === 'object' && title !== null && 'text' in title ? String(title.text) : '';
}

/**
 * Every point of the chart: one row per value of x, one column per series with the unit of its axis; empty where it has
 * none. Times are in UTC.
 */
export function chartCsv(chart: Chart): string {
  const series = chart.data.filter((trace) => trace.x.length > 0 && trace.meta === undefined);
  const ofTime = chart.layout.xaxis.type === 'date';
  const rows = new Map<string, Map<number, number>>();
  series.forEach((trace, column) => {
    for (let index = 0; index < trace.x.length; index += 1) {
      const x = String(trace.x[index]);
      const row = rows.get(x) ?? new Map<number, number>();
      row.set(column, trace.y[index] ?? NaN);
      rows.set(x, row);
    }
  });
  // A level that gave nothing is a row without a value.
  for (const trace of chart.data) {
    if (ofTime || trace.meta !== 'signs') continue;
    for (let index = 0; index < trace.x.length; index += 1) {
      const x = String(trace.x[index]);
      rows.set(x, rows.get(x) ?? new Map<number, number>());
    }
  }
  const head = [
    ofTime ? 'Time' : titleOf(chart.layout.xaxis),
    ...series.map((trace) => {
      const unit = titleOf((trace.yaxis === 'y2' ? chart.layout.yaxis2 : undefined) ?? chart.layout.yaxis);
      return unit === '' ? trace.name : `${trace.name} (${unit})`;
    }),
  ];
  const ordered = [...rows].sort(([a], [b]) => Number(a) - Number(b));
  const lines = ordered.map(([x, row]) => [
    ofTime ? momentOf(Number(x)).toISOString() : x,
    ...series.map((_trace, column) => {
      const value = row.get(column);
      return value === undefined || Number.isNaN(value) ? '' : String(value);
    }),
  ]);
  return `${[head, ...lines].map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`;
}
