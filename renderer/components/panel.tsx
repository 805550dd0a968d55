import type { ReactNode } from 'react';

/** A part of a page with a head; it is named by its title, where no `label` says more. */
export function Panel(props: {
  title: string;
  label?: string;
  /** Of a panel within a part that has a heading itself. */
  level?: 2 | 3;
  /** Beside the title. */
  note?: ReactNode;
  /** Buttons and marks in the head. */
  head?: ReactNode;
  className?: string;
  children?: ReactNode;
}) {
  const { title, label = title, level = 2, note, className } = props;
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section className={className === undefined ? 'panel' : `panel ${className}`} aria-label={label}>
      <div className="panel-head">
        <Heading>{title}</Heading>
        {note === undefined ? null : <span className="dim">{note}</span>}
        {props.head}
      </div>
      {props.children}
    </section>
  );
}
