import { scenarios, type StepId } from '../../../main/contract/run/run-events';
import type { RunState, StepState } from '../../../main/contract/run/run-state';
import { shownStatus } from './step-note';

/** There are levels, or holes with their reasons. */
export function showsMeasurements(state: Pick<RunState, 'scenarios'>): boolean {
  return scenarios.some((scenario) => {
    const { points, missing } = state.scenarios[scenario];
    return points.length + missing.length > 0;
  });
}

/**
 * Whether the panel of the step opens by itself: of a failed step below its results. A failure without results shows the
 * end of the log itself, and a run under way its last line.
 */
export const opensItself = (state: RunState, step: StepState | undefined): boolean =>
  state.status !== 'running' && step?.status === 'failed' && showsMeasurements(state);

/**
 * The reader's choice, else the step under way, the one that stopped the run or is half done, or the last one entered.
 */
export function shownStep(state: RunState, picked: StepId | null): StepState | undefined {
  const { steps } = state;
  return (
    steps.find((step) => step.id === picked) ??
    steps.find((step) => step.status === 'running') ??
    steps.find((step) => step.status === 'failed' || step.status === 'cancelled') ??
    steps.find((step) => shownStatus(state, step) === 'paused') ??
    steps.findLast((step) => step.status !== 'waiting') ??
    steps[0]
  );
}
