import { Button } from '@mantine/core';
import { useCallback, useEffect } from 'react';
import { useStore } from 'zustand';
import type { WireError } from '../../../main/contract/errors';
import { ErrorPanel } from '../../components/error-panel';
import { attempt } from '../../components/notices';
import { Page } from '../../components/page';
import { precisionText } from '../../format/words';
import { isTolerance } from '../../stores/draft/field-slice';
import { pollWhileSeen } from '../../stores/poll';
import { useWorkbench } from '../../workbench';
import type { DropUse } from './drop';
import { DropHint } from './drop-hint';
import { FormViewSwitch, useFormView } from './form-view';
import { NoticeBar } from './notice-bar';
import { PageForm } from './pages/page-form';
import { Pane } from './pane/pane';
import { usePane } from './pane/use-pane';
import { SimpleForm } from './simple/simple-form';
import { Summary } from './simple/summary';
import { useDrop } from './use-drop';
import { useStart } from './use-start';
import { useWizardKeys } from './use-wizard-keys';
import { WizardActions } from './wizard-actions';
import { useWizard, useWizardModel, WizardProvider } from './wizard-context';
import { WizardFoot } from './wizard-foot';
import { WizardSteps } from './wizard-steps';
import { WizardWait } from './wizard-wait';

/** Tolerances that were chosen under another precision than the one that is chosen now. */
function ToleranceNotice() {
  const { draft, changes, valueAt } = useWizard();
  const { tolerancesOf, useDefaultTolerances } = draft;
  const precision = valueAt(['precision']);
  const now = precision === 'fp16' || precision === 'fp32' ? precisionText[precision] : null;
  if (tolerancesOf === null || now === null || !changes.some(({ keys }) => isTolerance(keys))) return null;
  return (
    <section className="notice-bar" role="status" aria-label="Tolerances">
      <div className="notice-text">
        The tolerances were set for {precisionText[tolerancesOf]}, and {now} is chosen.
      </div>
      <Button size="compact-xs" variant="default" onClick={useDefaultTolerances}>
        Use the defaults of {now}
      </Button>
    </section>
  );
}

const lookAgainMs = 5000;

/** While something keeps the draft from being started, it is looked at again: a port may be free by now. */
function useStartCheck(): void {
  const { startCheck } = useWorkbench();
  const again = useStore(startCheck, (state) => state.again);
  const waits = useStore(startCheck, ({ problems }) => problems.length > 0);
  useEffect(() => (waits ? pollWhileSeen(document, again, lookAgainMs) : undefined), [again, waits]);
}

/** The form, with what was said of the choice above it. */
function Centre({ error, onImport }: { error: WireError | null; onImport: () => void }) {
  const view = useFormView();
  return (
    <div className="wizard-centre">
      <NoticeBar />
      <ToleranceNotice />
      {error === null ? null : (
        <div className="wizard-error">
          <ErrorPanel error={error} />
        </div>
      )}
      <div className="wizard-main">
        {view === 'simple' ? <SimpleForm /> : <PageForm onImport={onImport} />}
      </div>
    </div>
  );
}

/** Puts a deployment together, on one page or on seven in any order; the start is in reach as soon as nothing is missing. */
export function NewDeploymentView() {
  const { client, draft, hosts } = useWorkbench();
  const { open, ready, page, changing, planError, saveError, importText, goTo, ...state } = useStore(draft);
  const error = state.error ?? planError;
  const model = useWizardModel();
  const view = useFormView();
  const pane = usePane(page);
  const { start, startAnyway, starting } = useStart();
  useStartCheck();

  useEffect(() => {
    void open();
    void hosts.getState().list();
  }, [open, hosts]);

  const chooseImport = useCallback(() => {
    attempt(async () => {
      const file = await client.call('desktop.openText');
      if (file !== null) await importText(file.fileName, file.text);
    });
  }, [client, importText]);
  const showDropped = useCallback(
    (use: DropUse) => {
      if (use !== 'import') goTo('model');
    },
    [goTo],
  );
  const dragged = useDrop(showDropped);
  useWizardKeys(start);

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
      actions={
        <>
          {changing === null ? <FormViewSwitch /> : null}
          <WizardActions onImport={chooseImport} />
        </>
      }
    >
      {model === null || !ready ? (
        <WizardWait error={error} />
      ) : (
        <WizardProvider value={model}>
          <div className="wizard" data-page={page} data-view={view}>
            {view === 'all' ? <WizardSteps /> : null}
            <Centre error={error} onImport={chooseImport} />
            {view === 'all' ? (
              <Pane open={pane.open} tab={pane.tab} onFold={pane.fold} onTab={pane.setTab} />
            ) : (
              <Summary />
            )}
            <WizardFoot starting={starting} onStart={start} onStartAnyway={startAnyway} />
          </div>
          {dragged ? <DropHint /> : null}
        </WizardProvider>
      )}
    </Page>
  );
}
