import type { ReactNode } from 'react';
import type { Tone } from './status-text';

/** What it rests on follows in brackets: it is read second. */
const basisFrom = ' (';

/**
 * What the page says, first and in its largest text: one per page. `tone` colors the line beside it, `notes` are what
 * the reader must know with it, `actions` what follows from it.
 */
export function Answer(props: {
  text: string;
  tone: Tone;
  label?: string;
  notes?: ReactNode;
  actions?: ReactNode;
}) {
  const { text, tone, label, notes, actions } = props;
  const at = text.indexOf(basisFrom);
  const said = at === -1 ? text : text.slice(0, at);
  return (
    <section className="answer" data-tone={tone} role="status" aria-label={label}>
      <p className="answer-text">
        {said}
        {at === -1 ? null : <span className="answer-basis">{text.slice(at)}</span>}
      </p>
      {notes}
      {actions === undefined ? null : <div className="row wrap">{actions}</div>}
    </section>
  );
}
