import { IconAlertTriangle, IconCircleX } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import type { Check } from '../../../../main/contract/machine';
import { inContainers } from '../../../../main/contract/run/engine-kinds';
import type { EngineKind } from '../../../../main/contract/run/run-spec';
import { Remedy } from '../../../components/copy-button';
import { PageLink } from '../../../components/links';
import { Loading } from '../../../components/loading';
import { Panel } from '../../../components/panel';
import { pageOf, pageTitle } from '../../../stores/draft/wizard-page';
import { useWorkbench } from '../../../workbench';
import { ConfigEditor } from '../editor/config-editor';
import { pathOf } from '../fields/field';
import { sectionsOf } from '../fields/sections';
import { engineOf } from '../fields/why-not';
import { pageText } from '../page-text';
import { configTextField, isAbout } from '../problems';
import { useWizard } from '../wizard-context';
import { DataSourcesPanel } from './data-sources-panel';
import { OwnModelChoice, OwnModelInUse, useOwnModelPath } from './own-model';
import { ProblemList } from './problem-list';
import { Review } from './review';
import { SectionsForm } from './sections-form';
import { TensorTable } from './signature-table';

function PresetNotes() {
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

function OwnModelPanel() {
  const inUse = useOwnModelPath();
  return (
    <section className="panel" aria-label="Your own model" data-chosen={inUse !== null}>
      <div className="panel-head">
        <h3>Your own model</h3>
        {inUse === null ? <span className="dim">or choose a preset below</span> : null}
      </div>
      <div className="panel-body">
        {inUse === null ? null : <OwnModelInUse path={inUse} />}
        <OwnModelChoice inUse={inUse} />
      </div>
      {inUse === null ? null : <TensorTable />}
    </section>
  );
}

const outsideContainers: ReadonlySet<Check['id']> = new Set(['tools', 'disk']);

/** The checks that a run with this kind of engine depends on: containers bring their tools, the others need no Docker. */
const concerns = (kind: EngineKind, { id }: Pick<Check, 'id'>): boolean =>
  inContainers({ kind }) ? id !== 'tools' : outsideContainers.has(id);

function MachineNotes() {
  const { machine } = useWorkbench();
  const { value, error } = useStore(machine);
  const { kind } = engineOf(useWizard().context);
  if (value === null) return error === null ? <Loading label="Checking this machine" /> : null;
  const found = value.checks.filter(
    (check) => (check.status === 'problem' || check.status === 'warning') && concerns(kind, check),
  );
  const { environment, gpus } = value;
  return (
    <Panel
      title="This machine"
      level={3}
      note={
        <>
          {environment.cpuCount} CPUs,{' '}
          {gpus.gpus.length === 0 ? 'no GPU' : gpus.gpus.map(({ name }) => name).join(', ')}
        </>
      }
    >
      <ul className="problem-list inset">
        {found.length === 0 ? <li className="dim">No problems found for this engine.</li> : null}
        {found.map((check) => (
          <li key={check.id} className="problem-item" data-severity={check.status}>
            {check.status === 'problem' ? (
              <IconCircleX size={15} className="tone-bad" aria-label="Problem" />
            ) : (
              <IconAlertTriangle size={15} className="tone-warn" aria-label="Warning" />
            )}
            <div className="stack-small">
              <span>
                <strong>{check.title}</strong>: {check.finding}
              </span>
              {/* The field of the engine, above, has the buttons for the tools. */}
              {check.remedy === null || check.id === 'tools' ? null : <Remedy text={check.remedy} />}
            </div>
          </li>
        ))}
        <li>
          <PageLink to={{ page: 'environment' }}>All checks and GPUs</PageLink>
        </li>
      </ul>
    </Panel>
  );
}

export function PageForm() {
  const { draft, context, problems, fields } = useWizard();
  const { page } = draft;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    heading.current?.focus();
  }, [page]);
  // Problems that no field of the page shows.
  const loose = problems.filter(
    (problem) =>
      pageOf(problem.field) === page &&
      problem.field !== configTextField &&
      !fields.some((field) => isAbout(problem, pathOf(field))),
  );
  return (
    <>
      <div key={page} className="wizard-form" role="region" aria-label={pageTitle[page]} tabIndex={0}>
        <header className="wizard-heading">
          <h2 ref={heading} tabIndex={-1}>
            {pageTitle[page]}
          </h2>
          <p className="dim">{pageText[page].intro}</p>
        </header>
        {loose.length === 0 || page === 'review' ? null : <ProblemList problems={loose} linked={false} />}
        {page === 'review' ? <Review /> : null}
        {page === 'model' ? <OwnModelPanel /> : null}
        <SectionsForm sections={sectionsOf[page](context)} />
        {page === 'environment' ? <MachineNotes /> : null}
        {page === 'model' ? (
          <>
            <DataSourcesPanel />
            <PresetNotes />
          </>
        ) : null}
        {page === 'export' ? (
          <Panel title="Inputs and outputs" level={3} note="checked against the exported file">
            <TensorTable />
          </Panel>
        ) : null}
      </div>
      {page === 'configure' ? <ConfigEditor /> : null}
    </>
  );
}
