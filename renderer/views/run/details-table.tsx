import type { Column } from '../../../main/contract/measured/column';
import { titleWithUnit } from '../../../main/contract/measured/column';
import { Panel } from '../../components/panel';

interface Heading {
  readonly title: string;
  /** One line, shown when the heading is pointed at. */
  readonly help?: string;
  readonly number?: boolean;
  readonly mono?: boolean;
}

/** Headings of measured columns. */
export const headingsOf = <Of,>(columns: readonly Column<Of>[]): readonly Heading[] =>
  columns.map((column) => ({ title: titleWithUnit(column), help: column.help, number: true }));

export interface DetailsRow {
  readonly key: string;
  /** A text a heading. */
  readonly cells: readonly string[];
  /** Something to look at; a cell of the row says what. */
  readonly doubtful?: boolean;
}

/** A table below that of the levels; nothing where there are no rows. */
export function DetailsTable(props: {
  title: string;
  note: string;
  headings: readonly Heading[];
  rows: readonly DetailsRow[];
}) {
  const { title, note, headings, rows } = props;
  if (rows.length === 0) return null;
  const look = (index: number): string => {
    const { number = false, mono = false } = headings[index] ?? {};
    return [number ? 'number' : '', mono ? 'mono' : ''].filter(Boolean).join(' ');
  };
  return (
    <Panel title={title} note={note}>
      <div className="table-scroll" tabIndex={0} role="region" aria-label={`Table: ${title}`}>
        <table className="table">
          <thead>
            <tr>
              {headings.map((heading) => (
                <th
                  key={heading.title}
                  scope="col"
                  className={heading.number === true ? 'number' : undefined}
                  title={heading.help}
                >
                  {heading.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, cells, doubtful }) => (
              <tr key={key} className={doubtful === true ? 'tone-warn' : undefined}>
                {cells.map((cell, index) => (
                  <td key={headings[index]?.title} className={look(index)}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
