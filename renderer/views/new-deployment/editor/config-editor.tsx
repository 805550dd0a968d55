import { Button } from '@mantine/core';
import { getAt } from '../../../../main/contract/trees';
import { CompactButton } from '../../../components/actions';
import { CopyButton } from '../../../components/copy-button';
import { LinkButton } from '../../../components/links';
import { Loading } from '../../../components/loading';
import { patchKeys } from '../../../stores/draft/draft-state';
import { pageOf, pageTitle, wizardPages } from '../../../stores/draft/wizard-page';
import { isAsIs } from '../fields/serving-fields';
import { useProblemPlace } from '../pages/problem-list';
import { useImport } from '../wizard-actions';
import { useWizard } from '../wizard-context';
import { ConfigDifference } from './config-difference';
import { type LineMark, markLines } from './mark-lines';
import { PbtxtEditor } from './pbtxt-view';

function Differences({ marks, shown }: { marks: readonly LineMark[]; shown: string }) {
  if (marks.length === 0) return null;
  const lines = shown.split('\n');
  return (
    <details className="differences">
      <summary>
        {marks.length === 1 ? '1 line differs' : `${marks.length} lines differ`} from the generated text
      </summary>
      <ol>
        {marks.map((mark) => (
          <li key={`${mark.line} ${mark.kind}`}>
            <span className="dim">Line {mark.line}</span>
            {mark.before.map((line, index) => (
              <code key={index} className="line-before">
                − {line.trim()}
              </code>
            ))}
            {mark.kind === 'removed' ? null : (
              <code className="line-now">+ {lines[mark.line - 1]?.trim()}</code>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

function EditorHead({ shown }: { shown: string }) {
  const { draft } = useWizard();
  const patched = getAt(draft.overrides, patchKeys) !== undefined;
  return (
    <div className="panel-head">
      <h3 className="mono">config.pbtxt</h3>
      {patched ? (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          onClick={() => {
            draft.discardConfig();
            draft.reset(patchKeys);
          }}
        >
          Undo hand edits
        </Button>
      ) : null}
      <CompactButton aria-label="Open config.pbtxt…" title="Open config.pbtxt…" onClick={useImport()}>
        Open…
      </CompactButton>
      <CopyButton text={shown} label="Copy config.pbtxt" />
    </div>
  );
}

function CheckpointNote() {
  const { valueAt } = useWizard();
  if (typeof valueAt(['model', 'checkpoint']) !== 'string') return null;
  return (
    <span className="dim" role="note">
      The run reads the sizes from the checkpoint. If they are not those of the preset, dims differ from those
      shown here.
    </span>
  );
}

function EditorNote({ shown, differs }: { shown: string; differs: boolean }) {
  const { draft } = useWizard();
  const problem = draft.edit?.problem ?? null;
  if (problem === null) {
    if (shown === '') return null;
    return (
      <span className="dim">
        {differs
          ? 'Settings without a field in the form are kept as edited by hand.'
          : 'In sync with the form. Edit here to change the form.'}
      </span>
    );
  }
  return (
    <span className="config-problem" role="alert">
      <span className="field-error">
        {problem.line === null ? '' : `Line ${problem.line}: `}
        {problem.message}
      </span>
      <CompactButton onClick={draft.discardConfig}>Discard text</CompactButton>
    </span>
  );
}

function NoConfigYet() {
  const { draft } = useWizard();
  const placeOf = useProblemPlace();
  const hard = (draft.preview?.problems ?? []).filter(({ severity }) => severity === 'problem');
  const pages = wizardPages.filter((page) => hard.some(({ field }) => pageOf(field) === page));
  const isElsewhere = pages.some((page) => page !== 'configure');
  const places = pages.map((page, at) => {
    const first = hard.find(({ field }) => pageOf(field) === page);
    return (
      <span key={page}>
        {at === 0 ? '' : ', '}
        {page === 'configure' || first === undefined ? (
          `${pageTitle[page]} (this page)`
        ) : (
          <LinkButton onClick={placeOf(first).go}>{pageTitle[page]}</LinkButton>
        )}
      </span>
    );
  });
  return (
    <p className="panel-body dim">
      No config.pbtxt yet.{' '}
      {isElsewhere ? (
        <>Fix the problems on {pages.length === 1 ? <>the {places} page</> : <>the pages {places}</>}.</>
      ) : (
        'Fix the problems shown in the form.'
      )}
    </p>
  );
}

/** That of a repository: its fields are changed by the form, the rest in the repository itself. */
function OwnConfig() {
  const shown = useWizard().draft.preview?.configPbtxt ?? '';
  return (
    <section className="config-editor" aria-label="config.pbtxt">
      <div className="panel-head">
        <h3 className="mono">config.pbtxt</h3>
        <CopyButton text={shown} label="Copy config.pbtxt" />
      </div>
      {shown === '' ? null : (
        <pre className="own-config" tabIndex={0}>
          {shown}
        </pre>
      )}
      <div className="config-note">
        <p className="dim">
          The file of the repository. Change settings without a field in the form there, then check the
          repository again.
        </p>
        <ConfigDifference />
      </div>
    </section>
  );
}

export function ConfigEditor() {
  return isAsIs(useWizard().preset) ? <OwnConfig /> : <TextEditor />;
}

function TextEditor() {
  const { draft } = useWizard();
  const { edit, preview } = draft;
  const shown = edit?.text ?? preview?.configPbtxt ?? '';
  const generated = preview?.generatedPbtxt ?? null;
  const marks = generated === null || shown === '' ? [] : markLines(generated, shown);
  const noteId = 'config-pbtxt-note';
  return (
    <section className="config-editor" aria-label="config.pbtxt">
      <EditorHead shown={shown} />
      {preview === null ? (
        <div className="panel-body">
          <Loading label="Writing config.pbtxt" />
        </div>
      ) : shown === '' && edit === null ? (
        <NoConfigYet />
      ) : (
        <PbtxtEditor
          value={shown}
          label="Text of config.pbtxt"
          marks={marks}
          problem={edit?.problem ?? null}
          describedBy={noteId}
          onChange={draft.editConfig}
          onLeave={draft.leaveConfig}
        />
      )}
      <div id={noteId} className="config-note">
        <EditorNote shown={shown} differs={marks.length > 0} />
        <CheckpointNote />
        <Differences marks={marks} shown={shown} />
      </div>
    </section>
  );
}
