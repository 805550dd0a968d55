import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import type { WireError } from '../../../main/contract/errors';
import { ErrorPanel } from '../../components/error-panel';
import { LinkButton } from '../../components/links';
import { Loading } from '../../components/loading';
import { isOwnModel } from '../../stores/draft/draft-state';
import { useWorkbench } from '../../workbench';
import { WizardProvider } from './wizard-context';
import type { WizardModel } from './wizard-model';

/** What is shown of a draft; a note in its place while presets and drafts are read, and where its preset is none of the list. */
export function Wizard(props: { model: WizardModel | null; error: WireError | null; children: ReactNode }) {
  const { model, error, children } = props;
  const { draft, presets } = useWorkbench();
  const { preset, overrides, ready, choosePreset } = useStore(draft);
  const list = useStore(presets);
  if (model !== null && ready) return <WizardProvider value={model}>{children}</WizardProvider>;
  const problem = list.error ?? error;
  const unknown = list.value !== null && ready && !isOwnModel(overrides);
  return (
    <div className="wizard-wait">
      {problem === null ? null : <ErrorPanel error={problem} />}
      {unknown ? (
        <div className="empty">
          <h2>The preset “{preset}” no longer exists</h2>
          <p>This draft uses it. Choose another preset to continue.</p>
          {list.value.map(({ id, title }) => (
            <LinkButton
              key={id}
              onClick={() => {
                choosePreset(id, title);
              }}
            >
              {title}
            </LinkButton>
          ))}
        </div>
      ) : problem === null ? (
        <Loading label="Reading presets and drafts" />
      ) : null}
    </div>
  );
}
