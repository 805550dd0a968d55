import type { StepId } from '../../../main/contract/run-events';
import type { RunState } from '../../../main/contract/run-state';

/** The profiling data is made from the data set and the model alone. */
const withoutProfileData = new Set<StepId>(['configure', 'deploy', 'accuracy']);

/** The step and every later one that needs what it makes, in their order: what "rerun from here" does again. */
export function repeatedSteps(state: Pick<RunState, 'steps'>, from: StepId): readonly StepId[] {
  const ids = state.steps.map((step) => step.id);
  return ids
    .slice(ids.indexOf(from))
    .filter((id) => !(id === 'profile-data' && withoutProfileData.has(from)));
}
