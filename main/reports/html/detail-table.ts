import { cellText, type Column, titleWithUnit } from '../../contract/measured/column';
import { batchSize } from '../../contract/measured/columns';
import type { LoadPoint } from '../../contract/measured/results';
import type { ReportLevel } from '../report';
import { type Markup, markup } from './markup';

const isAmount = ({ kind }: Pick<Column, 'kind'>): boolean => kind !== 'text';

/** Head of a table with these columns. */
export const tableHead = <Of>(columns: readonly Column<Of>[]): Markup =>
  markup`<thead><tr>${columns.map((column) =>
    isAmount(column)
      ? markup`<th class="n" title="${column.help}">${titleWithUnit(column)}</th>`
      : markup`<th title="${column.help}">${titleWithUnit(column)}</th>`,
  )}</tr></thead>`;

/** One row of it. */
export const tableRow = <Of>(columns: readonly Column<Of>[], of: Of): Markup =>
  markup`
<tr>${columns.map((column) =>
    isAmount(column)
      ? markup`<td class="n">${cellText(column, of)}</td>`
      : markup`<td>${cellText(column, of)}</td>`,
  )}</tr>`;

export const headings = <Of>(columns: readonly Column<Of>[]): readonly Markup[] =>
  columns.map((column) => markup`<th class="n" title="${column.help}">${titleWithUnit(column)}</th>`);

export const cells = <Of>(columns: readonly Column<Of>[], of: Of): readonly Markup[] =>
  columns.map((column) => markup`<td class="n">${cellText(column, of)}</td>`);

/**
 * A table of levels below the one of all: batch size and load, then what `rowsOf` makes of a level; null where no level has
 * a row.
 * @param load heading of the second column, "Load" where levels differ in it.
 */
export function detailTable(
  rows: readonly ReportLevel[],
  title: string,
  head: readonly Markup[],
  rowsOf: (point: LoadPoint, level: ReportLevel) => readonly (readonly Markup[])[],
  { look = 'detail', load = 'Load' } = {},
): Markup | null {
  const found = rows.flatMap((row) =>
    row.point === null
      ? []
      : rowsOf(row.point, row).map(
          (cellsOfRow) => markup`
<tr><td class="n">${row.batchSize}</td><td class="n">${row.loadText}</td>${cellsOfRow}</tr>`,
        ),
  );
  if (found.length === 0) return null;
  return markup`<h3>${title}</h3>
<table class="${look}"><thead><tr><th class="n">${batchSize.title}</th><th class="n">${load}</th>${head}</tr></thead><tbody>${found}
</tbody></table>`;
}
