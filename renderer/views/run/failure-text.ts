import type { ErrorText } from '../../../main/contract/error-text';
import type { WireError } from '../../../main/contract/errors';
import type { RunState, StepState } from '../../../main/contract/run-state';
import { stepTitle } from '../../../main/contract/step-text';

const shownLines = 10;

/** The last lines of a log but for those that only repeat the error, which is shown beside them. Pure. */
export function tailOf(lines: readonly string[], error: WireError): readonly string[] {
  const own = new Set([
    ...`ERROR: ${error.message}`.split('\n'),
    `at ${error.where ?? ''}`,
    ...(error.details ?? '').split('\n'),
  ]);
  return lines.filter((line) => line.trim() !== '' && !own.has(line)).slice(-shownLines);
}

/** Everything that is known of the failure, for a message to whoever can help. Pure. */
export function detailsText(
  error: WireError,
  text: ErrorText,
  state: Pick<RunState, 'runId' | 'spec' | 'environment'>,
  step: Pick<StepState, 'id'> | undefined,
  tail: readonly string[],
): string {
  const { spec, environment } = state;
  return [
    `${text.title} (${error.code})`,
    error.message,
    ...(error.where === undefined ? [] : [`Where: ${error.where}`]),
    `Remedy: ${error.remedy ?? text.remedy}`,
    `Run: ${state.runId}${step === undefined ? '' : `, step "${stepTitle[step.id]}"`}`,
    `Model: ${spec.model.preset}, ${spec.format} ${spec.precision}, engine ${spec.engine.kind}`,
    `Workbench ${environment.workbenchVersion}, ${environment.os}`,
    ...(error.details === undefined || error.details === '' ? [] : ['', 'Details:', error.details]),
    ...(tail.length === 0 ? [] : ['', 'Last lines of the log:', ...tail]),
  ].join('\n');
}
