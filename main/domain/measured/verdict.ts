import { errorText } from '../../contract/error-text';
import { isSteady, marksOf } from '../../contract/flag-text';
import { formatMetricDelta, formatScale } from '../../contract/numbers';
import { accuracyOf, accuracyText, outcomeOf } from '../../contract/run/run-outcome';
import type { RunState } from '../../contract/run/run-state';
import { budgetLatencyUs } from '../../contract/run/sweep';
import { metricTitle, type MetricTitles, stepTitle } from '../../contract/words';
import { largestOf } from '../statistics';
import { answerOf, p99HalfUs } from './answer';
import { type BestPoint, bestPoint, budgetMsOf } from './points';

interface ModelOfRun {
  readonly runId: string;
  readonly createdAt: string;
  readonly preset: string;
  readonly profile: string;
  readonly format: string;
  readonly precision: string;
  readonly imported: string | null;
  readonly onServer: string | null;
}

const mostHistory = 50;

/** Runs of the same model, size, format and precision, this one included, newest first. */
export function historyOf<Run extends ModelOfRun>(runs: readonly Run[], runId: string): readonly Run[] {
  const own = runs.find((run) => run.runId === runId);
  if (own === undefined || own.imported !== null) return [];
  const keyOf = ({ preset, profile, format, precision, onServer }: ModelOfRun): string =>
    [preset, profile, format, precision, onServer ?? ''].join('\n');
  return runs
    .filter((run) => run.imported === null && keyOf(run) === keyOf(own))
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || b.runId.localeCompare(a.runId))
    .slice(0, mostHistory);
}

/** "accuracy verified (outputs and metric), top-1 within 0.0010 of the framework": first metric with both values, else outputs. */
function accuracyClause(state: RunState, titles: MetricTitles): string {
  const result = state.accuracy?.result;
  const word = `accuracy ${accuracyText(accuracyOf(result))}`;
  if (result === undefined) return word;
  const metric = result.metrics.find(({ framework, triton }) => framework !== null && triton !== null);
  const differences = result.outputs.flatMap(({ maxAbsDiff }) => (maxAbsDiff === null ? [] : [maxAbsDiff]));
  const within = (what: string, text: string, isNone: boolean) =>
    isNone ? `${what} equal to the framework’s` : `${what} within ${text} of the framework`;
  const delta = (metric?.framework ?? 0) - (metric?.triton ?? 0);
  const largest = largestOf(differences);
  const agreement =
    metric !== undefined
      ? within(metricTitle(titles, metric.name), formatMetricDelta(delta), delta === 0)
      : differences.length > 0
        ? within('outputs', formatScale(largest), largest === 0)
        : 'no output could be compared';
  return `${word}, ${agreement}`;
}

/** Where and why a run ended early; null otherwise. */
function endClause(state: RunState): string | null {
  const outcome = outcomeOf(state);
  if (outcome === 'done' || outcome === 'created') return null;
  const at = state.steps.find(({ status }) => ['failed', 'cancelled', 'running'].includes(status));
  const where = at === undefined ? '' : ` in step “${stepTitle[at.id]}”`;
  if (outcome === 'running') return `the run is still in progress${where}`;
  if (outcome === 'interrupted') return `the run was interrupted${where}`;
  if (outcome === 'cancelled') return `the run was cancelled${where}`;
  if (outcome === 'paused') return 'the run is paused';
  if (outcome === 'gate-failed') return 'the accuracy gate did not pass';
  const error = state.error ?? at?.error ?? null;
  const why = error === null ? '' : `: ${errorText[error.code].title}`;
  return `the run failed${where}${why}`;
}

export interface Verdict {
  readonly lead: string;
  /** Left out of the lead, and its doubts. */
  readonly doubts: readonly string[];
  /** Why the run is incomplete; null where it ended by itself. */
  readonly partial: string | null;
}

export function verdictParts(state: RunState, titles: MetricTitles): Verdict {
  const end = endClause(state);
  const answer = answerOf(state);
  if (answer === null) {
    const lead = end === null ? 'Nothing has been measured yet.' : `Nothing was measured: ${end}.`;
    return { lead, doubts: [], partial: null };
  }
  const doubts = answer.doubts.map(({ text }) => `${text}.`);
  if (state.source.kind === 'imported') {
    const lead = `Imported from ${state.source.file.fileName}, not measured here. ${answer.sentence}.`;
    return { lead, doubts, partial: null };
  }
  const lead = `${answer.sentence}; ${accuracyClause(state, titles)}.`;
  return { lead, doubts, partial: end === null ? null : `Partial: ${end}.` };
}

export function verdictOf(state: RunState, titles: MetricTitles): string {
  const { lead, doubts, partial } = verdictParts(state, titles);
  return [lead, ...doubts, ...(partial === null ? [] : [partial])].join(' ');
}

/** null unless the run has ended and measured something. */
export const endVerdict = (state: RunState, titles: MetricTitles): Verdict | null =>
  state.status === 'running' || state.status === 'created' || bestPoint(state) === null
    ? null
    : verdictParts(state, titles);

/** For machines: values as measured, microseconds. */
export const levelDocument = ({ scenario, point }: BestPoint) => ({
  scenario,
  batchSize: point.batchSize,
  concurrency: point.concurrency,
  ...(point.requestRate === undefined ? {} : { requestRate: point.requestRate }),
  inferencesPerSecond: point.inferencesPerSecond,
  p99Us: budgetLatencyUs(point),
  p99HalfUs: p99HalfUs(point),
  requestCount: point.requestCount,
  steady: isSteady(point),
  marks: [...marksOf(point)],
});

/** For machines: best level, ignoring the budget; null where nothing was measured. */
export function bestDocument(state: RunState) {
  const best = answerOf(state, null);
  return best === null || best.level === null ? null : { ...levelDocument(best.level), text: best.text };
}

/** Result within the p99 budget; null without one, `best` null where no level is within it. */
export function budgetDocument(state: RunState) {
  const budgetMs = budgetMsOf(state);
  const answer = answerOf(state);
  if (budgetMs === null) return null;
  return {
    p99BudgetMs: budgetMs,
    headroom: answer?.headroom ?? null,
    best: answer === null || answer.level === null ? null : levelDocument(answer.level),
    text: answer?.text ?? null,
  };
}

/** For machines: the answer within any p99 budget; null where nothing was measured. */
export function answerDocument(state: RunState) {
  const answer = answerOf(state);
  if (answer === null) return null;
  const { level, isSure, doubts, text } = answer;
  return {
    level: level === null ? null : levelDocument(level),
    sure: isSure,
    doubts: doubts.map(({ kind, text: why, levels }) => ({
      kind,
      text: why,
      levels: levels.map(levelDocument),
    })),
    text,
  };
}
