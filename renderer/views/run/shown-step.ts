import { scenarios, type StepId } from '../../../main/contract/run/run-events';
import type { RunState, StepState } from '../../../main/contract/run/run-state';
import { shownStatus } from './step-note';

/**
 * There are levels, or holes with their reasons. A run under way, or about to be, shows the levels that it will
 * measure.
 */
export function showsMeasurements(state: Pick<RunState, 'status' | 'scenarios'>): boolean {
  if (state.status === 'running' || state.status === 'created') return true;
  return scenarios.some((scenario) => {
    const { points, missing } = state.scenarios[scenario];
    return points.length + missing.length > 0;
  });
}

/**
 * Whether the panel of the step opens by itself once its log has lines: beside a run under way, and of a failed step
 * below its results. A finished run is read for its results, and a failure without results shows the end of the log
 * itself.
 */
export function opensItself(state: RunState, step: StepState | undefined): boolean {
  if (state.status === 'running') return true;
  return step?.status === 'failed' && showsMeasurements(state);
}

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
