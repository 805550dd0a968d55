import { labelInText } from '../../contract/fields/fields';
import { bestOfRuns, type BestRun, differentModelsText, sharedBudgetMs } from '../measured/best-of-runs';
import type { MatrixResult } from '../measured/matrix-result';

/** "model instances 1, maximum batch size 8"; without axes "run 2". */
const nameOf = ({ axes, number }: MatrixResult): string =>
  axes.length === 0
    ? `run ${number}`
    : axes.map(({ field, value }) => `${labelInText(field)} ${value}`).join(', ');

/**
 * The best of the complete runs and whether it is so beyond noise, in one sentence; null: fewer than two are complete,
 * or they are of different models. Pure.
 */
export function matrixBest(results: readonly MatrixResult[]): BestRun | null {
  const complete = results.flatMap((result) =>
    result.state?.status === 'done' ? [{ name: nameOf(result), state: result.state }] : [],
  );
  const states = complete.map(({ state }) => state);
  if (complete.length < 2 || differentModelsText(states) !== null) return null;
  return bestOfRuns(complete, sharedBudgetMs(states));
}
