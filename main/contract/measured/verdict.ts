import { errorText } from '../error-text';
import { isSound, isSteady, marksOf } from '../flag-text';
import { formatFixed, formatMetricDelta, formatMs, formatRate, formatScale, formatTyped } from '../numbers';
import { outcomeOf, verificationOf } from '../run/run-outcome';
import type { RunState } from '../run/run-state';
import { budgetLatencyUs } from '../run/sweep';
import { largestOf } from '../statistics';
import { levelText, metricTitle, type MetricTitles, stepTitle } from '../words';
import { type BestPoint, bestPoint, type BudgetAnswer, budgetMsOf, withinBudget } from './points';

/** Which level, and what is in doubt about it beside its steadiness: "offline, batch size 2, concurrency 1; client-limited". */
export function bestLevelText({ scenario, point }: BestPoint): string {
  const doubts = marksOf(point).filter((mark) => mark !== 'not steady');
  const model = point.model === undefined ? '' : `${point.model}, `;
  return [`${scenario}, ${model}${levelText(point)}`, ...doubts].join('; ');
}

/** What is left of a p99 budget at a level that keeps it, 0 to 1. */
const headroomOf = ({ point }: BestPoint, budgetMs: number): number =>
  1 - budgetLatencyUs(point) / (budgetMs * 1000);

/** Rounded down, so that nobody plans with what is not there: "headroom 35 %". */
const headroomText = (best: BestPoint, budgetMs: number): string =>
  `headroom ${formatFixed(Math.floor(headroomOf(best, budgetMs) * 100 + 1e-9), 0)} %`;

/** A level as an answer: "2,366 inferences/s at p99 11.20 ms (offline, batch size 2, concurrency 1)". */
function levelAnswer(best: BestPoint, room: string | null = null): string {
  const { point } = best;
  const from = point.scheduled === undefined ? '' : ' from schedule';
  return `${formatRate(point.inferencesPerSecond)} inferences/s at p99 ${formatMs(budgetLatencyUs(point))} ms${from} (${room === null ? '' : `${room}; `}${bestLevelText(best)})`;
}

/** The name of the best level: whether it is steady is part of it. */
export const bestLevelName = ({ point }: BestPoint): string =>
  isSteady(point) ? 'Best steady level' : 'Best level, not steady';

/** A best level in a sentence without its full stop. */
export const bestSentence = (best: BestPoint): string => `${bestLevelName(best)}: ${levelAnswer(best)}`;

/** The run's best level in a sentence without its full stop; null where nothing was measured. */
export function bestAnswer(state: RunState): string | null {
  const best = bestPoint(state);
  return best === null ? null : bestSentence(best);
}

/** The same sentence in window, report, CSV and command line: what the run gives within its p99 budget. */
export function budgetSentence({ budgetMs, best, doubtful }: BudgetAnswer): string {
  const limit = `${formatTyped(budgetMs)} ms`;
  if (best !== null) {
    return `Within a p99 of ${limit}: ${levelAnswer(best, headroomText(best, budgetMs))}.`;
  }
  const others =
    doubtful === 0
      ? ''
      : ` ${doubtful} ${doubtful === 1 ? 'level is' : 'levels are'} within it but not steady or with errors.`;
  return `No steady level has a p99 within ${limit}.${others}`;
}

/** {@link budgetSentence} of the run's own budget; null without one, and where nothing was measured. */
export function budgetText(state: RunState): string | null {
  const budgetMs = budgetMsOf(state);
  return budgetMs === null || bestPoint(state) === null
    ? null
    : budgetSentence(withinBudget(state, budgetMs));
}

export interface ChosenLevel extends BestPoint {
  /** "Best steady level", "Best steady level within 20 ms", "Best level, not steady". */
  readonly name: string;
}

/** The level that the verdict is of: within the p99 budget where there is one. null where nothing is. */
export function chosenLevel(state: RunState): ChosenLevel | null {
  const budgetMs = budgetMsOf(state);
  const best = budgetMs === null ? bestPoint(state) : withinBudget(state, budgetMs).best;
  if (best === null) return null;
  const limit = budgetMs === null ? '' : ` within ${formatTyped(budgetMs)} ms`;
  return { ...best, name: `${bestLevelName(best)}${limit}` };
}

/** What tells the runs of one model apart from those of others. */
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

/** The runs of the same model, size, format and precision as this one, itself among them, newest first. */
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

/** The name and the figures of a level: "Best steady level within 20 ms: 2,366 inferences/s at p99 11.20 ms (offline, …)". */
export const chosenSentence = (chosen: ChosenLevel): string => `${chosen.name}: ${levelAnswer(chosen)}`;

/** "top-1 within 0.0010 of the framework": the first metric with both values, else the widest output difference. */
function accuracyClause(state: RunState, titles: MetricTitles): string {
  const result = state.accuracy?.result;
  if (result === undefined) return 'accuracy not checked';
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

/** A level for machines: values as measured, microseconds. */
const levelDocument = ({ scenario, point }: BestPoint) => ({
  scenario,
  batchSize: point.batchSize,
  concurrency: point.concurrency,
  ...(point.requestRate === undefined ? {} : { requestRate: point.requestRate }),
  inferencesPerSecond: point.inferencesPerSecond,
  p99Us: budgetLatencyUs(point),
  steady: isSteady(point),
  marks: marksOf(point),
});

/** The best level for machines, with the sentence for people; null where nothing was measured. */
export function bestDocument(state: RunState) {
  const best = bestPoint(state);
  return best === null ? null : { ...levelDocument(best), text: bestAnswer(state) };
}

/** What the run gives within its p99 budget; null without one, `best` null where no level is within it. */
export function budgetDocument(state: RunState) {
  const budgetMs = budgetMsOf(state);
  if (budgetMs === null) return null;
  const { best } = withinBudget(state, budgetMs);
  return {
    p99BudgetMs: budgetMs,
    /** Of the budget, 0 to 1. */
    headroom: best === null ? null : headroomOf(best, budgetMs),
    best: best === null ? null : levelDocument(best),
    text: budgetText(state),
  };
}

/** A run among others, by the name that tells it from them. */
interface NamedRun {
  readonly name: string;
  readonly state: RunState;
}

export interface BestRun {
  /** Place of the run among those asked about; null where none has a level to name. */
  readonly index: number | null;
  readonly best: BestPoint | null;
  readonly sentence: string;
}

/** What no run can be named for, and what was found instead. */
function noneSentence(runs: readonly NamedRun[], answers: readonly BudgetAnswer[], limit: string): string {
  const doubtful = answers.filter(({ doubtful: levels }) => levels > 0).length;
  const others =
    doubtful === 0
      ? ''
      : ` ${doubtful} ${doubtful === 1 ? 'has' : 'have'} a level within it that is not steady or has errors.`;
  return `None of the ${runs.length} runs has a steady level with a p99 within ${limit}.${others}`;
}

/**
 * Which of several runs has the highest throughput within a p99 budget, at which level, in one sentence for window and
 * command line. Without a budget the best level of all, which says so where it is not steady.
 */
export function bestOfRuns(runs: readonly NamedRun[], budgetMs: number | null): BestRun {
  const answers = budgetMs === null ? [] : runs.map(({ state }) => withinBudget(state, budgetMs));
  const bests =
    budgetMs === null ? runs.map(({ state }) => bestPoint(state)) : answers.map(({ best }) => best);
  const rank = ({ point }: BestPoint) => (isSound(point) ? 2 : isSteady(point) ? 1 : 0);
  const top = largestOf(bests.map((best) => (best === null ? -1 : rank(best))));
  const index = bests.reduce<number | null>((found, best, at) => {
    if (best === null || rank(best) < top) return found;
    const most = found === null ? null : (bests[found] ?? null);
    return most === null || best.point.inferencesPerSecond > most.point.inferencesPerSecond ? at : found;
  }, null);
  const best = index === null ? null : (bests[index] ?? null);
  if (index === null || best === null) {
    const sentence =
      budgetMs === null
        ? `None of the ${runs.length} runs has measured anything.`
        : noneSentence(runs, answers, `${formatTyped(budgetMs)} ms`);
    return { index: null, best: null, sentence };
  }
  const limit = budgetMs === null ? '' : ` within a p99 of ${formatTyped(budgetMs)} ms`;
  const room = budgetMs === null ? null : headroomText(best, budgetMs);
  const doubt = isSteady(best.point) ? '' : ', though no level of them is steady';
  const sentence = `Best of ${runs.length} runs${limit}${doubt}: ${runs[index]?.name ?? ''}, ${levelAnswer(best, room)}.`;
  return { index, best, sentence };
}
