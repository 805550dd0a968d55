import { cellText, type Column, titleWithUnit } from '../../contract/measured/column';
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
