import { useCallback, useEffect } from 'react';
import { useStore } from 'zustand';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { attempt } from '../../components/notices';
import { Page } from '../../components/page';
import { hasModelFile, isOwnModel } from '../../stores/draft/draft-state';
import { wizardPages } from '../../stores/draft/wizard-page';
import { useWorkbench } from '../../workbench';
import type { DropUse } from './drop';
import { NoticeBar } from './notice-bar';
import { PageForm } from './pages/page-form';
import { Pane } from './pane/pane';
import { usePane } from './pane/use-pane';
import type { WizardKey } from './shortcuts';
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

/** Puts a deployment together, step by step in any order; the start is in reach as soon as nothing is missing. */
export function NewDeploymentView() {
  const { client, draft, ownModel, presets } = useWorkbench();
  const { enter, ready, page, preset, changing, overrides, planError, saveError, importText, goTo } =
    useStore(draft);
  const error = useStore(draft, (state) => state.error) ?? planError;
  const list = useStore(presets);
  const model = useWizardModel();
  const pane = usePane(page);
  const { start, starting } = useStart();
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

  const drop = useCallback(
    (use: DropUse, file: File, path: string) => {
      if (use === 'import') {
        attempt(async () => {
          await importText(file.name, await file.text());
        });
        return;
      }
      if (use === 'model') void ownModel.getState().open(path);
      else draft.getState().change(['model', use], path);
      goTo('model');
    },
    [draft, ownModel, goTo, importText],
  );
  const dragged = useDrop(drop, hasModelFile(overrides));

  const { toggleHelp } = pane;
  const press = useCallback(
    (key: WizardKey) => {
      const at = wizardPages.indexOf(draft.getState().page);
      const to =
        key.kind === 'page'
          ? wizardPages[key.index]
          : key.kind === 'move'
            ? wizardPages[at + key.by]
            : undefined;
      if (to !== undefined) goTo(to);
      if (key.kind === 'run') start();
      if (key.kind === 'help') toggleHelp();
    },
    [draft, goTo, start, toggleHelp],
  );
  useWizardKeys(press);

  const problem = list.error ?? error;
  const unknown = model === null && list.value !== null && ready && !isOwnModel(overrides);
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
                    draft.getState().choosePreset(id);
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
            <WizardFoot starting={starting} onStart={start} />
          </div>
          {dragged ? <DropHint /> : null}
        </WizardProvider>
      )}
    </Page>
  );
}
