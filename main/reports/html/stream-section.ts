import type { LoadPoint } from '../../contract/results';
import { formatMeasured, formatMs, formatRate, missing } from '../../contract/numbers';
import type { ReportLevel } from '../report';
import { streamColumnsOf } from '../stream-columns';
import type { StreamColumn } from '../stream-columns';
import type { Markup } from './markup';
import { markup } from './markup';

function cell({ kind, read }: StreamColumn, point: LoadPoint): string {
  const value = read(point);
  if (value === null) return missing;
  if (kind === 'latency') return formatMs(value);
  return kind === 'ratio' ? formatMeasured(value) : formatRate(value);
}

/** The table of what sequences and streams have of their own; null where no level was measured so. */
export function streamTable(rows: readonly ReportLevel[], loadHeading: string): Markup | null {
  // The mean stands in the CSV; the page has room for the percentiles.
  const columns = streamColumnsOf(rows.map(({ point }) => point)).filter(
    ({ heading }) => !heading.includes(' avg '),
  );
  if (columns.length === 0) return null;
  const body = rows.flatMap(({ point, loadText }) =>
    point === null
      ? []
      : markup`
<tr><td class="n">${point.batchSize}</td><td class="n">${loadText}</td>${columns.map(
          (column) => markup`<td class="n">${cell(column, point)}</td>`,
        )}</tr>`,
  );
  return markup`<h3>Sequences and streams</h3>
<table class="fixed"><thead><tr><th class="n">Batch</th><th class="n">${loadHeading}</th>${columns.map(
    ({ heading }) => markup`<th class="n">${heading}</th>`,
  )}</tr></thead>
<tbody>${body}
</tbody></table>`;
}
