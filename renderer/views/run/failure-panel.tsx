import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy, IconFileText } from '@tabler/icons-react';
import { type ErrorText, errorText } from '../../../main/contract/error-text';
import type { WireError } from '../../../main/contract/errors';
import { remedyOf } from '../../../main/contract/remedy';
import { bySource } from '../../../main/contract/run/run-source';
import type { RunState, StepState } from '../../../main/contract/run/run-state';
import { measuredOnText } from '../../../main/contract/run/server-load';
import { stepTitle } from '../../../main/contract/words';
import { SmallButton } from '../../components/actions';
import { ErrorPanel } from '../../components/error-panel';
import { useAnswer } from '../../use-answer';
import { RemedyButtons } from './remedy-buttons';

const shownLines = 10;

/** Without lines that only repeat the error, which is shown beside them. */
export function tailOf(lines: readonly string[], error: WireError): readonly string[] {
  const own = new Set([
    ...`ERROR: ${error.message}`.split('\n'),
    `at ${error.where ?? ''}`,
    ...(error.details ?? '').split('\n'),
  ]);
  return lines.filter((line) => line.trim() !== '' && !own.has(line)).slice(-shownLines);
}

export function detailsText(
  error: WireError,
  text: ErrorText,
  state: Pick<RunState, 'runId' | 'source' | 'environment'>,
  step: Pick<StepState, 'id'> | undefined,
  tail: readonly string[],
): string {
  const { source, environment } = state;
  return [
    `${text.title} (${error.code})`,
    error.message,
    ...(error.where === undefined ? [] : [`Where: ${error.where}`]),
    `Remedy: ${remedyOf(error)}`,
    `Run: ${state.runId}${step === undefined ? '' : `, step "${stepTitle[step.id]}"`}`,
    bySource(source, {
      deployed: ({ model, format, precision, engine }) =>
        `Model: ${model.preset}, ${format} ${precision}, engine ${engine.kind}`,
      server: measuredOnText,
      imported: ({ fileName }, model) => `Model: ${model}, imported from ${fileName}`,
    }),
    `Workbench ${environment.workbenchVersion}, ${environment.os}`,
    ...(error.details === undefined || error.details === '' ? [] : ['', 'Details:', error.details]),
    ...(tail.length === 0 ? [] : ['', 'Last lines of the log:', ...tail]),
  ].join('\n');
}

const askedLines = 20;

function useTail(runId: string, step: StepState | undefined, error: WireError): readonly string[] {
  // The log panel reports its own error.
  const { value } = useAnswer(
    async (client) =>
      step === undefined ? [] : client.call('runs.log', { runId, step: step.id, limit: askedLines }),
    `${runId} ${step?.id ?? ''} ${step?.attempt ?? 0}`,
  );
  return tailOf(value ?? [], error);
}

function CopyDetails({ text }: { text: () => string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  const Glyph = clipboard.copied ? IconCheck : IconCopy;
  return (
    <SmallButton icon={Glyph} variant="subtle" color="gray" onClick={() => clipboard.copy(text())}>
      {clipboard.copied ? 'Copied' : 'Copy details'}
    </SmallButton>
  );
}

export function FailurePanel(props: { state: RunState; error: WireError; onOpenLog: () => void }) {
  const { state, error } = props;
  const step = state.steps.find(({ status }) => status === 'failed');
  const tail = useTail(state.runId, step, error);
  return (
    <ErrorPanel error={error}>
      {step === undefined ? null : <p className="dim">Step: {stepTitle[step.id]}</p>}
      {tail.length === 0 ? null : (
        <pre className="failure-tail" tabIndex={0} role="region" aria-label="Last lines of the log">
          {tail.join('\n')}
        </pre>
      )}
      <div className="row wrap failure-actions">
        <RemedyButtons state={state} error={error} />
        {step === undefined ? null : (
          <SmallButton icon={IconFileText} variant="subtle" color="gray" onClick={props.onOpenLog}>
            Open log
          </SmallButton>
        )}
        <CopyDetails text={() => detailsText(error, errorText[error.code], state, step, tail)} />
      </div>
    </ErrorPanel>
  );
}
