import { useStore } from 'zustand';
import { componentFacts, type SetupWork } from '../../../main/contract/setup';
import { CompactButton } from '../../components/actions';
import { useWorkbench } from '../../workbench';
import { ProgressBar } from '../loading';
import { attempting } from '../notices';

const shownLines = 6;

const doing: Readonly<Record<SetupWork['action'], string>> = {
  install: 'Installing',
  repair: 'Repairing',
  remove: 'Removing',
};

export function SetupProgress({ work }: { work: SetupWork }) {
  const { tools } = useWorkbench();
  const { cancel } = useStore(tools);
  const title = work.component === null ? 'tools' : componentFacts[work.component].title;
  const what = `${doing[work.action]} ${title}`;
  return (
    <div className="column install-tools" role="status" aria-label="Installation">
      <div className="row wrap">
        <strong>{what}</strong>
        <span className="dim cut" title={work.text}>
          {work.text}
        </span>
        <CompactButton onClick={attempting(cancel)}>
          {work.action === 'remove' ? 'Cancel' : 'Cancel installation'}
        </CompactButton>
      </div>
      <ProgressBar label={what} fraction={work.fraction} />
      {work.lines.length === 0 ? null : (
        <details>
          <summary className="dim">Output</summary>
          <pre className="install-lines">{work.lines.slice(-shownLines).join('\n')}</pre>
        </details>
      )}
    </div>
  );
}

export function SetupEnd({ work }: { work: SetupWork | null }) {
  if (work?.status === 'cancelled') {
    return <p className="dim">Cancelled. Downloaded packages are kept.</p>;
  }
  if (work?.status !== 'failed' || work.error === null) return null;
  const { message, remedy, details } = work.error;
  return (
    <div role="alert" className="field-error">
      <p>
        {work.action === 'remove' ? 'The removal' : 'The installation'} failed: {message}. {remedy}
      </p>
      {details === undefined ? null : (
        <details>
          <summary>Last lines of the setup</summary>
          <pre className="install-lines">{details}</pre>
        </details>
      )}
    </div>
  );
}
