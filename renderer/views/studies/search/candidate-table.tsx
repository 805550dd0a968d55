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
const nextSorting = (now: Sorting | null, column: Column<SearchRow>): Sorting => ({
  id: column.id,
  descending: now?.id === column.id ? !now.descending : !isText(column) && column.kind !== 'duration',
});

/** Without a value last, in either direction. */
function sorted(rows: readonly SearchRow[], columns: readonly Column<SearchRow>[], sorting: Sorting | null) {
  const column = columns.find(({ id }) => id === sorting?.id);
  if (column === undefined || sorting === null) return rows;
  const sign = sorting.descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [column.read(one) ?? null, column.read(other) ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return a === b ? 0 : a < b ? -sign : sign;
  });
}

/** Every configuration with what it came to, the best first. */
export function CandidateTable(props: { name: string; search: SearchStrategy; rows: readonly SearchRow[] }) {
  const { name, search, rows } = props;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const columns = searchColumns(search);
  return (
    <ScrollTable label={`Configurations of ${name}`} className="study-runs">
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
        {sorted(rows, columns, sorting).map((row) => (
          <tr
            key={row.candidate}
            data-candidate={row.candidate}
            className={row.state === 'best' ? 'best' : undefined}
          >
            {columns.map((column) => (
              <td key={column.id} className={isText(column) ? undefined : 'number'}>
                {column.id === 'configuration' && row.state === 'best' ? '★ ' : ''}
                {cellText(column, row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
