import { useWizard } from '../wizard-context';

/** Where the preset comes from, what its published procedure does wrong and what is done here. */
export function PresetNotes() {
  const { preset } = useWizard();
  const { notes = [], notOffered = [], origin } = preset;
  if (notes.length === 0) return null;
  return (
    <details className="panel preset-notes" aria-label="About the published procedure">
      <summary className="panel-head">
        <h3>Problems of the published procedure, and the fix</h3>
        <span className="dim">{notes.length}</span>
      </summary>
      <dl className="panel-body">
        {notes.map(({ finding, published, here }) => (
          <div key={published}>
            <dt>
              {finding === undefined ? null : <span className="mono dim">{finding} </span>}
              {published}
            </dt>
            <dd className="dim">{here}</dd>
          </div>
        ))}
        {notOffered.map(({ format, title, reason }) => (
          <div key={format}>
            <dt>
              Not offered: {title} (<span className="mono">{format}</span>)
            </dt>
            <dd className="dim">{reason}</dd>
          </div>
        ))}
      </dl>
      {origin.deployment === undefined ? null : <p className="panel-body dim">{origin.deployment}</p>}
    </details>
  );
}
