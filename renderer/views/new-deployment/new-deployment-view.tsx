import { useEffect, useEffectEvent } from 'react';
import { useStore } from 'zustand';
import type { WireError } from '../../../main/contract/errors';
import { ErrorPanel } from '../../components/error-panel';
import { Page } from '../../components/page';
import { usePoll } from '../../components/use/use-time';
import { type WizardPage, wizardPages } from '../../stores/draft/wizard-page';
import { useWorkbench } from '../../workbench';
import { ChangeBar } from './change-bar';
import { DropHint, useDrop } from './drop';
import { FormViewSwitch, useFormView } from './form-view';
import { NoticeBar, ToleranceNotice } from './notice-bar';
import { PageForm } from './pages/page-form';
import { Pane, usePane } from './pane';
import { type WizardKey, wizardKey } from './shortcuts';
import { SimpleForm } from './simple/simple-form';
import { Summary } from './simple/summary';
import { useStart } from './use-start';
import { WizardActions } from './wizard-actions';
import { useWizardModel, Wizard } from './wizard-context';
import { WizardFoot, WizardSteps } from './wizard-steps';

const pollEveryMs = 5000;

/** A problem may go away by itself, such as a port in use. */
function useStartCheck(): void {
  const { startCheck } = useWorkbench();
  const again = useStore(startCheck, (state) => state.again);
  const waits = useStore(startCheck, ({ problems }) => problems.length > 0);
  usePoll(again, waits, pollEveryMs);
}

function pageAfter(key: WizardKey, page: WizardPage): WizardPage | undefined {
  if (key.kind === 'page') return wizardPages[key.index];
  return key.kind === 'move' ? wizardPages[wizardPages.indexOf(page) + key.by] : undefined;
}

function useWizardKeys(start: () => void): void {
  const { draft, formView } = useWorkbench();
  const view = useFormView();
  const pressed = useEffectEvent((event: KeyboardEvent): void => {
    const key = wizardKey(event);
    if (key === null || event.defaultPrevented) return;
    event.preventDefault();
    const { page, goTo } = draft.getState();
    const to = key.kind === 'move' && view === 'simple' ? undefined : pageAfter(key, page);
    if (to !== undefined) {
      if (view === 'simple') formView.getState().show('all');
      goTo(to);
    }
    if (key.kind === 'page' && to === undefined) formView.getState().show('simple');
    if (key.kind === 'run') start();
  });
  useEffect(() => {
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}

function Centre({ error }: { error: WireError | null }) {
  const view = useFormView();
  return (
    <div className="wizard-centre">
      <ChangeBar />
      <NoticeBar />
      <ToleranceNotice />
      {error === null ? null : (
        <div className="wizard-error">
          <ErrorPanel error={error} />
        </div>
      )}
      <div className="wizard-main">{view === 'simple' ? <SimpleForm /> : <PageForm />}</div>
    </div>
  );
}

export function NewDeploymentView() {
  const { draft, hosts } = useWorkbench();
  const { open, page, changing, planError, saveError, goTo, ...state } = useStore(draft);
  const error = state.error ?? planError;
  const model = useWizardModel();
  const view = useFormView();
  const pane = usePane(page);
  const begin = useStart();
  useStartCheck();
  useEffect(() => {
    void open();
    void hosts.getState().list();
  }, [open, hosts]);
  const dragged = useDrop((use) => {
    if (use !== 'import') goTo('model');
  });
  useWizardKeys(begin.start);
  return (
    <Page
      title={[changing === null ? 'New deployment' : 'Change run', changing ?? model?.preset.title]
        .filter((part) => part !== undefined)
        .join(' · ')}
      bare
      after={
        saveError === null ? null : (
          <span className="tone-bad" role="status">
            The draft is not saved: {saveError.message}
          </span>
        )
      }
      actions={
        <>
          {changing === null ? <FormViewSwitch /> : null}
          <WizardActions />
        </>
      }
    >
      <Wizard model={model} error={error}>
        <div className="wizard" data-page={page} data-view={view}>
          {view === 'all' ? <WizardSteps /> : null}
          <Centre error={error} />
          {view === 'all' ? <Pane {...pane} /> : <Summary />}
          <WizardFoot {...begin} />
        </div>
        {dragged ? <DropHint /> : null}
      </Wizard>
    </Page>
  );
}
