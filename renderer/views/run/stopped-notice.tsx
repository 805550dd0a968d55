import type { RunState, RunStatus } from '../../../main/contract/run-state';
import { showsMeasurements } from './shows-measurements';

const texts: Partial<Record<RunStatus, string>> = {
  paused: 'Paused. Resume continues with the next level; nothing is repeated.',
  interrupted: 'Interrupted: the workbench closed during this run. Resume continues; nothing is repeated.',
  cancelled: 'Cancelled. Resume continues with the first step or level that is not done.',
};

/** A run that was stopped and can be continued: nothing of it is an error. */
export function StoppedNotice({ state }: { state: RunState }) {
  const text = texts[state.status];
  if (text === undefined) return null;
  return (
    <section
      className={state.status === 'cancelled' ? 'panel verdict neutral' : 'panel verdict unverified'}
      role="status"
    >
      {text} {showsMeasurements(state) ? 'Results so far are kept.' : 'Nothing was measured yet.'}
    </section>
  );
}
