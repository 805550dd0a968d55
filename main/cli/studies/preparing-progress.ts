import type { CoreEvent } from '../../contract/api';
import { fieldAt } from '../../contract/fields/fields';
import type { JournalEntry } from '../../contract/run/run-events';
import type { StudySpec } from '../../contract/study/study';
import { stepTitleOf } from '../../contract/words';
import type { Output } from '../output';
import { createRunProgress } from '../run-progress';

const shown: ReadonlySet<JournalEntry['type']> = new Set([
  ...(['step-started', 'step-finished', 'step-failed', 'accuracy', 'run-waiting', 'preflight'] as const),
]);

/** The journal of a run as far as it says how far its model is. */
function short(entry: JournalEntry): JournalEntry | null {
  if (entry.type === 'step-skipped') return entry.reason === 'cached' ? entry : null;
  // Files of an earlier run take no time, and have a line of their own.
  if (entry.type === 'step-finished') return entry.durationUs === 0 ? null : { ...entry, facts: [] };
  return shown.has(entry.type) ? entry : null;
}

/** "ONNX FP16"; the first one of a search without a run by its preset. */
function trialText({ strategy: { trials } }: StudySpec, number: number): string {
  const { axes = [], choice = null } = trials[number - 1] ?? {};
  if (axes.length === 0) return choice?.preset ?? '';
  const named = axes.filter(({ value }) => value !== 'none');
  return named.map(({ field, value }) => fieldAt(field).choices?.[value] ?? value).join(' ');
}

/** Prints how the models of a search are made. */
export function createPreparingProgress(output: Output, spec: StudySpec): (event: CoreEvent) => void {
  const onRun = createRunProgress(output, { verbose: false, titleOf: stepTitleOf });
  const runIds = new Set<string>();
  return (event) => {
    if (event.type === 'study' && event.name === spec.name) {
      const { entry } = event;
      if (entry.type === 'trial-begun') {
        output.say(`Preparing ${entry.number} of ${entry.of}: ${trialText(spec, entry.number)}`);
      }
      if (entry.type === 'trial-run') {
        runIds.add(entry.runId);
        output.say(`  Run ${entry.runId}`);
      }
      return;
    }
    if (!('runId' in event) || !runIds.has(event.runId)) return;
    const entry = event.type === 'journal' ? short(event.entry) : null;
    if (entry !== null && event.type === 'journal') onRun({ ...event, entry });
    if (event.type === 'progress' || event.type === 'held-up') onRun(event);
  };
}
