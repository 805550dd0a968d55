import { formatDuration, formatFixed } from '../../../main/contract/numbers';
import { type Scenario, scenarios } from '../../../main/contract/run/run-events';
import { specOf } from '../../../main/contract/run/run-source';
import type { RunState, StepState, StepStatus } from '../../../main/contract/run/run-state';
import { plannedTurns } from '../../../main/contract/run/sweep';
import { skipWords } from '../../../main/contract/words';

export const isLeft = (state: Pick<RunState, 'status'>, step: Pick<StepState, 'status'>): boolean =>
  step.status === 'running' && state.status !== 'running';

/** "1 of 3 measured" of a sweep that was stopped between its levels; else ''. */
function measuredText(state: RunState, scenario: Scenario): string {
  const { length } = state.scenarios[scenario].points;
  if (length === 0) return '';
  const performance = specOf(state)?.performance;
  // How many levels a search tries is known at its end only.
  if (performance === undefined || (scenario === 'online' && performance.search !== 'none'))
    return `${length} measured`;
  return `${length} of ${plannedTurns(performance, scenario).length} measured`;
}

function isHalfDone(state: RunState, step: StepState): boolean {
  if (step.status === 'done' || step.status === 'skipped') return false;
  return scenarios.some((id) => id === step.id && state.scenarios[id].points.length > 0);
}

export function shownStatus(state: RunState, step: StepState): StepStatus | 'paused' {
  if (isLeft(state, step)) return 'cancelled';
  if (step.status === 'waiting' && state.status !== 'running' && isHalfDone(state, step)) return 'paused';
  return step.status;
}

export function stepTime(state: RunState, step: StepState, nowMs: number): string {
  if (isLeft(state, step)) return '';
  if (step.skippedBecause === 'cached' || step.skippedBecause === 'not-needed')
    return skipWords[step.skippedBecause];
  if (step.status === 'running' && step.startedAt !== null) {
    const sinceMs = Math.max(0, nowMs - Date.parse(step.startedAt));
    // One unit from the start: what counts up is not read in microseconds.
    return sinceMs < 1000 ? `${formatFixed(sinceMs / 1000, 1)} s` : formatDuration(sinceMs * 1000);
  }
  return step.durationUs === null ? '' : formatDuration(step.durationUs);
}

export function stepNote(state: RunState, step: StepState, progressText: string | null): string {
  if (step.status === 'running' && !isLeft(state, step)) return progressText ?? '';
  // Before a step begins its files are looked for among those of earlier runs.
  if (step.status === 'waiting' && state.status === 'running' && progressText !== null) return progressText;
  const scenario = scenarios.find((id) => id === step.id);
  const measured = scenario !== undefined && isHalfDone(state, step) ? measuredText(state, scenario) : '';
  if (isLeft(state, step)) return measured === '' ? 'Interrupted' : `Interrupted, ${measured}`;
  if (measured !== '') return measured;
  // Each doubt about its levels is a warning: the first need not be the worst.
  return scenario === undefined ? (step.warnings[0] ?? '') : step.warnings.join(' ');
}

export function stepHelp(step: StepState): string | undefined {
  if (step.skippedBecause === 'cached') return 'Reuses the files of an earlier run with the same inputs.';
  if (step.skippedBecause === 'not-needed') return 'Not needed by any later step.';
  return undefined;
}
