import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { IconLayoutSidebarRightCollapse, IconLayoutSidebarRightExpand } from '@tabler/icons-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import { shellLine } from '../../../main/contract/flag-text';
import { stepsOf } from '../../../main/contract/run/run-events';
import { stepTitle } from '../../../main/contract/words';
import { IconButton } from '../../components/actions';
import { CommandText, CopyButton } from '../../components/copy-button';
import { Loading } from '../../components/loading';
import { pageTitle, stepsOfPage, type WizardPage } from '../../stores/draft/wizard-page';
import { useWorkbench } from '../../workbench';
import { pageText } from './page-text';
import { planText, runFiles } from './plan-text';
import { shortcuts } from './shortcuts';
import { useWizard } from './wizard-context';

type PaneTab = 'plan' | 'help';

const commandTitle = ([program = '', ...words]: readonly string[]): string =>
  shellLine([program.split(/[\\/]/).at(-1) ?? program, ...words]);

function Commands({ argvs }: { argvs: readonly (readonly string[])[] }) {
  const [first] = argvs;
  if (first === undefined) return null;
  return (
    <details className="pane-commands">
      <summary>
        <code className="cut" title={commandTitle(first)}>
          {commandTitle(first)}
        </code>
        {argvs.length === 1 ? null : <span className="dim">+ {argvs.length - 1}</span>}
      </summary>
      {argvs.map((argv) => (
        <CommandText key={argv.join(' ')} argv={argv} />
      ))}
    </details>
  );
}

function Steps() {
  const { draft, preset } = useWizard();
  const { preview } = draft;
  const spec = preview?.spec ?? null;
  if (preview === null || spec === null)
    return <p className="dim">Fix the problems in the form to see the commands.</p>;
  const commands = preview.commands;
  const steps = planText(spec, preset.metrics).filter(({ step }) => stepsOfPage[draft.page].includes(step));
  return steps.map(({ step, title, what }) => (
    <div key={step} className="pane-step" data-plan={step}>
      <h4>{title}</h4>
      <p className="plan-what">{what}</p>
      <Commands argvs={commands.filter((command) => command.step === step).map(({ argv }) => argv)} />
    </div>
  ));
}

function Plan() {
  const { draft } = useWizard();
  const { preview, page } = draft;
  if (preview === null) return <Loading label="Preparing the preview" />;
  return (
    <>
      <section aria-label="Steps and commands">
        <h3>{page === 'review' ? 'All steps' : 'Steps of this page'}</h3>
        <Steps />
      </section>
      {page === 'configure' || preview.configPbtxt === null ? null : (
        <details className="pane-part">
          <summary>config.pbtxt</summary>
          <div className="pane-config">
            <CopyButton text={preview.configPbtxt} label="Copy config.pbtxt" />
            <pre tabIndex={0}>{preview.configPbtxt}</pre>
          </div>
        </details>
      )}
      {preview.spec === null ? null : (
        <details className="pane-part">
          <summary>Files of the run</summary>
          <ul className="pane-files">
            {runFiles(preview.spec).map(({ path, what }) => (
              <li key={path}>
                <code>{path}</code>
                <span className="dim">{what}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Help() {
  const { draft, preset } = useWizard();
  const spec = draft.preview?.spec ?? null;
  const steps = stepsOfPage[draft.page]
    .filter((step) => spec === null || stepsOf(spec).includes(step))
    .map((step) => stepTitle[step]);
  return (
    <>
      <section aria-label="About this page">
        <h3>{pageTitle[draft.page]}</h3>
        {pageText[draft.page].help.map((paragraph) => (
          <p key={paragraph} className="pane-paragraph">
            {paragraph}
          </p>
        ))}
        <p className="pane-paragraph dim">Steps of the run: {steps.join(', ')}.</p>
      </section>
      {draft.page === 'model' ? (
        <section aria-label="Origin">
          <h3>Origin</h3>
          <p className="pane-paragraph">{preset.origin.paper}</p>
        </section>
      ) : null}
      <section aria-label="Keys">
        <h3>Keys</h3>
        <dl className="facts">
          {shortcuts.map(({ keys, what }) => [
            <dt key={`${keys} keys`}>
              <kbd>{keys}</kbd>
            </dt>,
            <dd key={keys}>{what}</dd>,
          ])}
        </dl>
      </section>
    </>
  );
}

/** Folded by default where the config.pbtxt editor needs the room, and in a narrow window. */
export function usePane(page: WizardPage) {
  const kind = page === 'configure' ? 'configure' : 'form';
  const { help } = useWorkbench();
  const beside = useStore(help, (state) => (state.place === null ? 0 : state.width));
  const wide = useMediaQuery(`(min-width: ${1180 + beside}px)`, true, { getInitialValueInEffect: false });
  const [chosen, setChosen] = useLocalStorage<Partial<Record<string, boolean>>>({
    key: 'workbench.wizard-pane',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const [tab, setTab] = useState<PaneTab>('plan');
  const open = chosen[kind] ?? (wide && kind === 'form');
  const fold = (): void => setChosen({ ...chosen, [kind]: !open });
  return { open, tab, fold, setTab };
}

export function Pane({ open, tab, fold, setTab }: ReturnType<typeof usePane>) {
  const label = open ? 'Hide preview' : 'Show preview';
  return (
    <aside className={open ? 'wizard-pane' : 'wizard-pane folded'} aria-label="Preview">
      <div className="pane-head">
        {open ? (
          <div className="dock-tabs" role="tablist" aria-label="Pane">
            {(['plan', 'help'] as const).map((id) => (
              <button
                key={id}
                type="button"
                role="tab"
                id={`pane-tab-${id}`}
                aria-controls="pane-body"
                aria-selected={tab === id}
                tabIndex={tab === id ? 0 : -1}
                className="plain-button dock-tab"
                onClick={() => setTab(id)}
                onKeyDown={(event) => {
                  if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
                  const other = id === 'plan' ? 'help' : 'plan';
                  setTab(other);
                  document.getElementById(`pane-tab-${other}`)?.focus();
                }}
              >
                {id === 'plan' ? 'Preview' : 'Help'}
              </button>
            ))}
          </div>
        ) : null}
        <IconButton
          icon={open ? IconLayoutSidebarRightCollapse : IconLayoutSidebarRightExpand}
          label={label}
          size={17}
          aria-expanded={open}
          onClick={fold}
        />
      </div>
      {open ? (
        <div
          id="pane-body"
          className="pane-body"
          role="tabpanel"
          aria-labelledby={`pane-tab-${tab}`}
          tabIndex={0}
        >
          {tab === 'plan' ? <Plan /> : <Help />}
        </div>
      ) : null}
    </aside>
  );
}
