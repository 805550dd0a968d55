import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';

/** A heading that sorts its table. `descending` null: the table is sorted by another column. */
export function SortHead(props: {
  title: string;
  help?: string;
  number?: boolean | undefined;
  /** Pixels, or a length of CSS. */
  width?: number | string | undefined;
  descending: boolean | null;
  onSort: () => void;
}) {
  const { title, help, number, width, descending } = props;
  const Arrow = descending === true ? IconArrowDown : IconArrowUp;
  const order = descending === true ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      className={number === true ? 'number' : undefined}
      title={help}
      style={{ width }}
      aria-sort={descending === null ? undefined : order}
    >
      <button type="button" className="plain-button sort-head" onClick={props.onSort}>
        {title}
        {descending === null ? null : <Arrow size={13} aria-hidden="true" />}
      </button>
    </th>
  );
}
