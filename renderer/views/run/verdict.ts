import { levelText } from '../../../main/contract/level-text';
import { bestPoint } from '../../../main/contract/points';
import type { RunState } from '../../../main/contract/run-state';
import { budgetLatencyUs } from '../../../main/contract/sweep';
import { formatMetric, formatMs, formatRate } from '../../format/numbers';
import { whyUnsteady } from '../../format/words';

function accuracyText(state: RunState, titleOf: (metric: string) => string): string {
  if (state.imported !== null) return 'not measured here';
  const { accuracy } = state;
  if (accuracy === null) return 'accuracy not checked';
  if (!accuracy.result.passed) return 'accuracy gate not passed, results are unverified';
  const metric = accuracy.result.metrics.find(
    ({ framework, triton }) => framework !== null && triton !== null,
  );
  if (metric === undefined || metric.framework === null || metric.triton === null) return 'accuracy passed';
  const apart = Math.abs(metric.framework - metric.triton);
  return `accuracy passed: ${titleOf(metric.name)} ${formatMetric(metric.triton)} on Triton, within ${formatMetric(apart)} of the framework`;
}

/** A finished run in one sentence; null where there is nothing to say yet. */
export function verdict(state: RunState, titleOf: (metric: string) => string): string | null {
  if (state.status !== 'done') return null;
  const best = bestPoint(state)?.point ?? null;
  if (best === null) return null;
  const unsteady = whyUnsteady(best) === null ? '' : ', a level that is not steady';
  return (
    `${formatRate(best.inferencesPerSecond)} inferences/s at p99 ${formatMs(budgetLatencyUs(best))} ms${best.scheduled === undefined ? '' : ' from schedule'} ` +
    `(${levelText(best)}${unsteady}); ${accuracyText(state, titleOf)}.`
  );
}
