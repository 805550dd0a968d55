import type { LoadPoint } from '../../contract/results';
import type { ReportLevel } from '../report';
import type { Markup } from './markup';
import { markup } from './markup';

type Cells = (point: LoadPoint) => readonly (string | Markup)[] | null;

/** Rows of the levels that have what `cells` reads; null where none has. */
export function detailTable(
  rows: readonly ReportLevel[],
  title: string,
  headings: readonly Markup[],
  cells: Cells,
): Markup | null {
  const found = rows.flatMap((row) => {
    const read = row.point === null ? null : cells(row.point);
    return read === null
      ? []
      : markup`
<tr><td class="n">${row.batchSize}</td><td class="n">${row.loadText}</td>${read.map((cell) =>
          typeof cell === 'string' ? markup`<td class="n">${cell}</td>` : cell,
        )}</tr>`;
  });
  if (found.length === 0) return null;
  return markup`<h3>${title}</h3>
<table class="detail"><thead><tr><th class="n">Batch</th><th class="n">Load</th>${headings}</tr></thead><tbody>${found}
</tbody></table>`;
}
