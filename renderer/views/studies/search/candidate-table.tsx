import { useState } from 'react';
import { cellText, type Column, titleWithUnit } from '../../../../main/contract/measured/column';
import type { SearchStrategy } from '../../../../main/contract/study/search';
import type { SearchRow } from '../../../../main/domain/study/search/search-answer';
import { searchColumns } from '../../../../main/domain/study/search/search-columns';
import { SortHead } from '../../../components/sort-head';
import { ScrollTable } from '../../../components/table';

interface Sorting {
  readonly id: string;
  readonly descending: boolean;
}

const isText = ({ kind }: Pick<Column, 'kind'>): boolean => kind === 'text';

/** The same column reverses; another begins with the highest number, or the first of the alphabet. */
const nextSorting = (now: Sorting | null, column: Pick<Column, 'id' | 'kind'>): Sorting => ({
  id: column.id,
  descending: now?.id === column.id ? !now.descending : !isText(column) && column.kind !== 'duration',
});

/** Without a value last, in either direction. */
function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sorting: Sorting | null) {
  const column = columns.find(({ id }) => id === sorting?.id);
  if (column === undefined || sorting === null) return rows;
  const sign = sorting.descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [column.read(one) ?? null, column.read(other) ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return a === b ? 0 : a < b ? -sign : sign;
  });
}

interface TriedRow {
  /** Place in the search, from 1. */
  readonly number: number;
  readonly isBest: boolean;
}

/** Everything that a search tried with what it came to, in a table that sorts. `starred`: id of the column that marks the best. */
export function TriedTable<Row>(props: {
  label: string;
  columns: readonly Column<Row>[];
  starred: string;
  rows: readonly Row[];
  of: (row: Row) => TriedRow;
}) {
  const { label, columns, starred, rows, of } = props;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  return (
    <ScrollTable label={label} className="study-runs">
      <thead>
        <tr>
          {columns.map((column) => (
            <SortHead
              key={column.id}
              title={titleWithUnit(column)}
              help={column.help}
              number={!isText(column)}
              descending={sorting?.id === column.id ? sorting.descending : null}
              onSort={() => setSorting(nextSorting(sorting, column))}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {sorted(rows, columns, sorting).map((row) => {
          const { number, isBest } = of(row);
          return (
            <tr key={number} data-candidate={number} className={isBest ? 'best' : undefined}>
              {columns.map((column) => (
                <td key={column.id} className={isText(column) ? undefined : 'number'}>
                  {column.id === starred && isBest ? '★ ' : ''}
                  {cellText(column, row)}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </ScrollTable>
  );
}

/** Every configuration with what it came to, the best first. */
export const CandidateTable = (props: {
  name: string;
  search: SearchStrategy;
  rows: readonly SearchRow[];
}) => (
  <TriedTable
    label={`Configurations of ${props.name}`}
    columns={searchColumns(props.search)}
    starred="configuration"
    rows={props.rows}
    of={({ candidate, state }) => ({ number: candidate, isBest: state === 'best' })}
  />
);
