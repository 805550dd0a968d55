import type { MonitorHistory } from '../contract/monitor-history';
import { gpuFields, seriesFields } from '../contract/monitor-history';
import type { CsvValue } from '../reports/csv';
import { csvText } from '../reports/csv';

const blank = (value: number | undefined): CsvValue =>
  value === undefined || Number.isNaN(value) ? null : Number(value.toPrecision(7));

/** One row a second and model or GPU; a second that was not measured has no row. Pure. */
export function monitorCsv(history: MonitorHistory): string {
  const span = history.span();
  const header = ['time', 'subject', ...seriesFields, ...gpuFields];
  if (span === null) return csvText(header, []);
  const rows: CsvValue[][] = [];
  for (const key of history.keys()) {
    const columns = [...seriesFields, ...gpuFields].map(
      (field) => history.series(key, field, span.fromMs, span.toMs).values,
    );
    const { timesMs } = history.series(key, 'requestsPerSecond', span.fromMs, span.toMs);
    timesMs.forEach((timeMs, at) => {
      if (columns.every((values) => Number.isNaN(values[at] ?? NaN))) return;
      rows.push([new Date(timeMs).toISOString(), key, ...columns.map((values) => blank(values[at]))]);
    });
  }
  return csvText(header, rows);
}
