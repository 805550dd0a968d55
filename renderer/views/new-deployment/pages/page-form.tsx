import { useEffect, useRef } from 'react';
import type { WizardPage } from '../../../stores/draft/wizard-page';
import { pageOf, pageTitle } from '../../../stores/draft/wizard-page';
import { ConfigEditor } from '../editor/config-editor';
import { pathOf } from '../fields/field';
import { sectionsOf } from '../fields/sections';
import { pageText } from '../page-text';
import { configTextField, isAbout } from '../problems';
import { useWizard } from '../wizard-context';
import { DataSourcesPanel } from './data-sources-panel';
import { MachineNotes } from './environment-extras';
import { OwnModelPanel } from './own-model-panel';
import { PresetNotes } from './preset-notes';
import { ProblemList } from './problem-list';
import { Review } from './review';
import { SectionsForm } from './sections-form';
import { SignatureTable } from './signature-table';

function Extras({ page }: { page: WizardPage }) {
  switch (page) {
    case 'environment':
      return <MachineNotes />;
    case 'model':
      return (
        <>
          <DataSourcesPanel />
          <PresetNotes />
        </>
      );
    case 'export':
      return <SignatureTable />;
    case 'configure':
    case 'accuracy':
    case 'performance':
    case 'review':
      return null;
  }
}

/** One page of the wizard. Its heading takes the focus when the page changes. */
export function PageForm({ onImport }: { onImport: () => void }) {
  const { draft, context, problems, fields } = useWizard();
  const { page } = draft;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    heading.current?.focus();
  }, [page]);
  // Those that no field of the page says itself.
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
        <SectionsForm sections={sectionsOf(page, context)} />
        <Extras page={page} />
      </div>
      {page === 'configure' ? <ConfigEditor onImport={onImport} /> : null}
    </>
  );
}
