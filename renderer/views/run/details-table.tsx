import { memo, type ReactNode } from 'react';
import { type Column, titleWithUnit } from '../../../main/contract/measured/column';
import type { LoadPoint } from '../../../main/contract/measured/results';
import { Panel } from '../../components/panel';
import { type Heading, TableHead } from '../../components/table';

export interface DetailsHeading extends Heading {
  readonly mono?: boolean;
  readonly strong?: boolean;
}

export const headingsOf = <Of,>(columns: readonly Column<Of>[]): readonly DetailsHeading[] =>
  columns.map((column) => ({ title: titleWithUnit(column), help: column.help, number: true }));

export interface DetailsRow {
  readonly key: string;
  /** One per heading. */
  readonly cells: readonly ReactNode[];
  readonly doubtful?: boolean;
}

export function HeadedRows({
  headings,
  rows,
}: {
  headings: readonly DetailsHeading[];
  rows: readonly DetailsRow[];
}) {
  const classOf = (index: number): string | undefined => {
    const { number = false, mono = false, strong = false } = headings[index] ?? {};
    const names = [number ? 'number' : '', mono ? 'mono' : '', strong ? 'strong' : ''].filter(Boolean);
    return names.length === 0 ? undefined : names.join(' ');
  };
  return (
    <table className="table">
      <TableHead headings={headings} />
      <tbody>
        {rows.map(({ key, cells, doubtful }) => (
          <tr key={key} className={doubtful === true ? 'tone-warn' : undefined}>
            {cells.map((cell, index) => (
              <td key={headings[index]?.title} className={classOf(index)}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/**
 * A table below the levels; nothing without rows.
 * @param parts.rowsOf rows of one level
 */
export const detailsTable = (parts: {
  readonly title: string;
  readonly note: string;
  readonly headings: readonly DetailsHeading[];
  readonly rowsOf: (point: LoadPoint) => readonly DetailsRow[];
}) =>
  memo(function DetailsTable({ points }: { points: readonly LoadPoint[] }) {
    const { title, note, headings, rowsOf } = parts;
    const rows = points.flatMap(rowsOf);
    if (rows.length === 0) return null;
    return (
      <Panel title={title} note={note}>
        <div className="table-scroll" tabIndex={0} role="region" aria-label={`Table: ${title}`}>
          <HeadedRows headings={headings} rows={rows} />
        </div>
      </Panel>
    );
  });
