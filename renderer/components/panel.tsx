import type { ReactNode } from 'react';

/** `label`: accessible name where the title is not enough. */
export function Panel(props: {
  title: string;
  label?: string;
  level?: 2 | 3;
  note?: ReactNode;
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
