import { cellText, type Column, titleWithUnit } from '../../contract/measured/column';
import { formatTable } from './table';

/** What is known of no row takes no room. */
export function columnTable<Of>(columns: readonly Column<Of>[], rows: readonly Of[]): string {
  const shown = columns.filter((column) => rows.some((row) => (column.read(row) ?? null) !== null));
  return formatTable(
    shown.map(titleWithUnit),
    rows.map((row) => shown.map((column) => cellText(column, row))),
  );
}
