import { scenarios } from '../../../main/contract/run-events';
import type { RunState } from '../../../main/contract/run-state';

/**
 * Charts, figures and tables have something to show: levels, or holes with their reasons. A run that is under way, or about
 * to be, shows the levels that it will measure. Pure.
 */
export function showsMeasurements(state: Pick<RunState, 'status' | 'scenarios'>): boolean {
  if (state.status === 'running' || state.status === 'created') return true;
  return scenarios.some((scenario) => {
    const { points, missing } = state.scenarios[scenario];
    return points.length + missing.length > 0;
  });
}
