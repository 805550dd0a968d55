import { useState } from 'react';
import { LinkButton } from '../../components/links';
import { useChangesOfRun } from './named-changes';
import { NoticeAction } from './notice-bar';
import { FieldLink } from './pages/review';
import { useWizard } from './wizard-context';

/** In one line, as far as it has room; all of them when asked. */
function ChangedFields({ changes }: { changes: ReturnType<typeof useChangesOfRun> }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? changes : changes.slice(0, 2);
  return (
    <div className="row changed-fields">
      <ul
        className={isOpen || changes.length === 1 ? 'notice-notes' : 'one-line'}
        aria-label="Changed fields"
        {...(isOpen ? { tabIndex: 0 } : {})}
      >
        {shown.map(({ path, label, from, to }) => (
          <li key={path}>
            <FieldLink path={path} label={label} /> <span className="dim">{from} →</span> {to}
          </li>
        ))}
      </ul>
      {changes.length === 1 ? null : (
        <LinkButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer' : `All ${changes.length} changes`}
        </LinkButton>
      )}
    </div>
  );
}

/** As long as the draft changes a run. */
export function ChangeBar() {
  const { changing, notice, takeBack } = useWizard().draft;
  const changes = useChangesOfRun();
  if (changing === null) return null;
  return (
    <section className="notice-bar" aria-label="Change of a run">
      <div className="notice-text">
        <p>
          Changing run <strong>{changing}</strong>.
        </p>
        {changes.length === 0 ? (
          <p>Only what depends on your changes is done again.</p>
        ) : (
          <ChangedFields changes={changes} />
        )}
      </div>
      {notice?.kind === 'changing' ? (
        <NoticeAction text="Back to the previous draft" onClick={takeBack} />
      ) : null}
    </section>
  );
}
