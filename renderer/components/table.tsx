import { type ReactNode, type RefObject, useRef } from 'react';
import { cellText, type Column, titleWithUnit } from '../../main/contract/measured/column';
import { tableText } from '../format/table-text';
import { CopyButton } from './copy-button';

export interface Heading {
  readonly title: string;
  readonly help?: string | undefined;
  readonly number?: boolean;
  /** Pixels or a share of the table; absent: the remaining width. */
  readonly width?: number | string;
  readonly hidden?: boolean;
}

export const numeric = (title: string, help?: string, width?: number): Heading => ({
  title,
  help,
  number: true,
  ...(width === undefined ? {} : { width }),
});

export function TableHead({ headings }: { headings: readonly (Heading | string)[] }) {
  return (
    <thead>
      <tr>
        {headings
          .map((heading): Heading => (typeof heading === 'string' ? { title: heading } : heading))
          .map(({ title, help, number, hidden, width }, index) => (
            <th
              key={index}
              scope="col"
              className={number === true ? 'number' : undefined}
              title={help}
              style={{ width }}
            >
              {hidden === true ? <span className="visually-hidden">{title}</span> : title}
            </th>
          ))}
      </tr>
    </thead>
  );
}

/** @param props.place the part that scrolls, which is not as high as all rows */
export function ScrollTable(props: {
  label: string;
  className?: string;
  place?: RefObject<HTMLDivElement | null>;
  children: ReactNode;
}) {
  const { label, className, place, children } = props;
  const table = useRef<HTMLTableElement>(null);
  return (
    <div className="table-frame">
      <div
        ref={place}
        className={place === undefined ? 'table-scroll' : 'table-scroll bounded'}
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        <table ref={table} className={className === undefined ? 'table' : `table ${className}`}>
          {children}
        </table>
      </div>
      <span className="table-copy">
        <CopyButton
          label={`Copy table: ${label}`}
          text={() => (table.current === null ? '' : tableText(table.current))}
        />
      </span>
    </div>
  );
}

export function Facts({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  );
}

/** Rows that do not change their order, by the columns that reports have, too. */
export function ColumnTable<Of>(props: {
  label: string;
  className?: string;
  columns: readonly Column<Of>[];
  rows: readonly Of[];
  rowClass?: (row: Of) => string | undefined;
}) {
  const { label, className, columns, rows, rowClass } = props;
  return (
    <ScrollTable label={label} {...(className === undefined ? {} : { className })}>
      <TableHead
        headings={columns.map((column) => ({
          ...{ title: titleWithUnit(column), help: column.help, number: column.kind !== 'text' },
        }))}
      />
      <tbody>
        {rows.map((row, at) => (
          <tr key={at} className={rowClass?.(row)}>
            {columns.map((column) => (
              <td key={column.id} className={column.kind === 'text' ? undefined : 'number'}>
                {cellText(column, row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
