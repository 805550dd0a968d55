import type { RunState, StepState } from '../../../main/contract/run-state';
import type { StepId } from '../../../main/contract/run-events';

/** The reader's choice, else the step under way, else the one that stopped the run, else the last one entered. */
export function shownStep(state: RunState, picked: StepId | null): StepState | undefined {
  const { steps } = state;
  return (
    steps.find((step) => step.id === picked) ??
    steps.find((step) => step.status === 'running') ??
    steps.find((step) => step.status === 'failed' || step.status === 'cancelled') ??
    steps.findLast((step) => step.status !== 'waiting') ??
    steps[0]
  );
}
