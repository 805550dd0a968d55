import { bestSentence } from './answer-text';
import { errorText } from './error-text';
import { largestOf } from './extremes';
import type { MetricTitles } from './metric-title';
import { metricTitle } from './metric-title';
import { formatMetricDelta, formatScale } from './numbers';
import { bestPoint } from './points';
import { outcomeOf, verificationOf } from './run-outcome';
import type { RunState } from './run-state';
import { stepTitle } from './step-text';

/** "top-1 within 0.000 of the framework": the first metric with both values, else the widest output difference. */
function accuracyClause(state: RunState, titles: MetricTitles): string {
  const result = state.accuracy?.result;
  if (result === undefined) return 'accuracy not checked';
  const metric = result.metrics.find(({ framework, triton }) => framework !== null && triton !== null);
  const differences = result.outputs.flatMap(({ maxAbsDiff }) => (maxAbsDiff === null ? [] : [maxAbsDiff]));
  const agreement =
    metric !== undefined
      ? `${metricTitle(titles, metric.name)} within ${formatMetricDelta((metric.framework ?? 0) - (metric.triton ?? 0))} of the framework`
      : differences.length > 0
        ? `outputs within ${formatScale(largestOf(differences))} of the framework`
        : 'no output could be compared';
  return verificationOf(state).verified ? agreement : `${agreement}, but the accuracy gate did not pass`;
}

/** Where and why a run ended early; null for one that did not. */
function endClause(state: RunState): string | null {
  const outcome = outcomeOf(state);
  if (outcome === 'done' || outcome === 'created') return null;
  const at = state.steps.find(({ status }) => ['failed', 'cancelled', 'running'].includes(status));
  const where = at === undefined ? '' : ` in step “${stepTitle[at.id]}”`;
  if (outcome === 'running') return `the run is still under way${where}`;
  if (outcome === 'interrupted') return `the run was interrupted${where}`;
  if (outcome === 'cancelled') return `the run was cancelled${where}`;
  if (outcome === 'paused') return 'the run is paused';
  if (outcome === 'gate-failed') return 'the accuracy gate did not pass';
  const error = state.error ?? at?.error ?? null;
  const why = error === null ? '' : `: ${errorText[error.code].title}`;
  return `the run failed${where}${why}`;
}

/** The sentence that a report begins with, and the page of a run that has ended. */
export function verdictOf(state: RunState, titles: MetricTitles): string {
  const end = endClause(state);
  const best = bestPoint(state);
  if (best === null) return end === null ? 'Nothing has been measured yet.' : `Nothing was measured: ${end}.`;
  const measured = bestSentence(best);
  if (state.imported !== null)
    return `Imported from ${state.imported.fileName}, not measured here. ${measured}.`;
  const sentence = `${measured}; ${accuracyClause(state, titles)}.`;
  return end === null ? sentence : `${sentence} Partial: ${end}.`;
}

/** The same for a run that has ended and measured something; null for any other. */
export const endVerdict = (state: RunState, titles: MetricTitles): string | null =>
  state.status === 'running' || state.status === 'created' || bestPoint(state) === null
    ? null
    : verdictOf(state, titles);
