import { isSteady } from '../../../main/contract/points';
import type { LoadPoint } from '../../../main/contract/results';
import type { ScenarioState } from '../../../main/contract/run-state';
import { budgetLatencyUs } from '../../../main/contract/sweep';

/** The steady level with the highest throughput whose p99, from the schedule where there is one, keeps the budget (milliseconds); null where none does. */
export function bestWithinBudget(state: ScenarioState, budgetMs: number): LoadPoint | null {
  return state.points
    .map(({ point }) => point)
    .filter((point) => isSteady(point) && budgetLatencyUs(point) <= budgetMs * 1000)
    .reduce<LoadPoint | null>(
      (best, point) => (best === null || point.inferencesPerSecond > best.inferencesPerSecond ? point : best),
      null,
    );
}
