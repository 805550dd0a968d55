import { fieldAt } from '../../main/contract/fields/fields';
import { reasonsOf } from '../../main/contract/flag-text';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { Format, LoadTool, Precision, Profile } from '../../main/contract/run/run-spec';
import type { RunStatus, StepStatus } from '../../main/contract/run/run-state';

export const runStatusText: Readonly<Record<RunStatus, string>> = {
  created: 'Not started',
  running: 'Running',
  interrupted: 'Interrupted',
  done: 'Done',
  failed: 'Failed',
  'gate-failed': 'Accuracy gate not passed',
  cancelled: 'Cancelled',
  paused: 'Paused',
};

export const stepStatusText: Readonly<Record<StepStatus, string>> = {
  waiting: 'Waiting',
  running: 'Running',
  done: 'Done',
  skipped: 'Skipped',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

const choicesOf = (path: string) => fieldAt(path).choices ?? {};
export const formatText = choicesOf('format') as Readonly<Record<Format, string>>;
export const precisionText = choicesOf('precision') as Readonly<Record<Precision, string>>;
export const profileText = choicesOf('model.profile') as Readonly<Record<Profile, string>>;
export const loadToolText = choicesOf('performance.loadTool') as Readonly<Record<LoadTool, string>>;

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** With a full stop, so that another sentence can follow. */
export const asSentence = (text: string): string => (text === '' || /[.!?]$/.test(text) ? text : `${text}.`);

/** "1 change", "2 changes". */
export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** null: no doubt. */
export function doubtsText(point: LoadPoint): string | null {
  const reasons = reasonsOf(point);
  return reasons.length === 0 ? null : reasons.join(' ');
}
