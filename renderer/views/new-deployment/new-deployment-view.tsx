import { useCallback, useEffect } from 'react';
import { useStore } from 'zustand';
import type { WireError } from '../../../main/contract/errors';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { attempt } from '../../components/notices';
import { Page } from '../../components/page';
import { isOwnModel } from '../../stores/draft/draft-state';
import { useWorkbench } from '../../workbench';
import { NoticeBar } from './notice-bar';
import { PageForm } from './pages/page-form';
import { Pane } from './pane/pane';
import { usePane } from './pane/use-pane';
import { ToleranceNotice } from './tolerance-notice';
import { useDrop } from './use-drop';
import { useStart } from './use-start';
import { useStartCheck } from './use-start-check';
import { useWizardKeys } from './use-wizard-keys';
import { WizardActions } from './wizard-actions';
import { useWizardModel, WizardProvider } from './wizard-context';
import { WizardFoot } from './wizard-foot';
import { WizardSteps } from './wizard-steps';

function DropHint() {
  return (
    <div className="drop-hint" aria-hidden="true">
      <p>
        Drop a <strong>model of your own (.onnx)</strong>, a <strong>file of weights</strong>, a{' '}
        <strong>folder with a data set</strong>, or a{' '}
        <strong>run.yaml, runner configuration, environment file or config.pbtxt</strong>
      </p>
    </div>
  );
}

/** While presets and drafts are read, and where the draft's preset is none of the list. */
function WizardWait({ error }: { error: WireError | null }) {
  const { draft, presets } = useWorkbench();
  const { preset, overrides, ready, choosePreset } = useStore(draft);
  const list = useStore(presets);
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
            <button
              key={id}
              type="button"
              className="plain-button link"
              onClick={() => {
                choosePreset(id);
              }}
            >
              {title}
            </button>
          ))}
        </div>
      ) : problem === null ? (
        <Loading label="Reading presets and drafts" />
      ) : null}
    </div>
  );
}

/** Puts a deployment together, step by step in any order; the start is in reach as soon as nothing is missing. */
export function NewDeploymentView() {
  const { client, draft } = useWorkbench();
  const { enter, ready, page, changing, planError, saveError, importText, ...state } = useStore(draft);
  const error = state.error ?? planError;
  const model = useWizardModel();
  const pane = usePane(page);
  const { start, startAnyway, starting } = useStart();
  useStartCheck();

  useEffect(() => {
    void enter();
  }, [enter]);

  const chooseImport = useCallback(() => {
    attempt(async () => {
      const file = await client.call('desktop.openText');
      if (file !== null) await importText(file.fileName, file.text);
    });
  }, [client, importText]);
  const dragged = useDrop();
  useWizardKeys(start, pane.toggleHelp);

  return (
    <Page
      title={changing === null ? 'New deployment' : 'Change run'}
      bare
      after={
        saveError === null ? (
          <span className="dim">{changing ?? model?.preset.title}</span>
        ) : (
          <span className="tone-bad" role="status">
            The draft is not saved: {saveError.message}
          </span>
        )
      }
      actions={<WizardActions onImport={chooseImport} />}
    >
      {model === null || !ready ? (
        <WizardWait error={error} />
      ) : (
        <WizardProvider value={model}>
          <div className="wizard" data-page={page}>
            <WizardSteps />
            <div className="wizard-centre">
              <NoticeBar />
              <ToleranceNotice />
              {error === null ? null : (
                <div className="wizard-error">
                  <ErrorPanel error={error} />
                </div>
              )}
              <div className="wizard-main">
                <PageForm onImport={chooseImport} />
              </div>
            </div>
            <Pane open={pane.open} tab={pane.tab} onFold={pane.fold} onTab={pane.setTab} />
            <WizardFoot starting={starting} onStart={start} onStartAnyway={startAnyway} />
          </div>
          {dragged ? <DropHint /> : null}
        </WizardProvider>
      )}
    </Page>
  );
}
