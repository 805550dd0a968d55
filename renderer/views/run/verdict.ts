import { bestAnswer } from '../../../main/contract/answer-text';
import type { RunState } from '../../../main/contract/run-state';
import { formatMetric } from '../../../main/contract/numbers';

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
  const answer = bestAnswer(state);
  return answer === null ? null : `${answer}; ${accuracyText(state, titleOf)}.`;
}
