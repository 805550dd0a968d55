import { budgetSentence } from '../contract/answer-text';
import type { Baseline } from '../contract/baseline';
import { baselineSeries } from '../contract/baseline-points';
import { cellText } from '../contract/column';
import { publishedColumns } from '../contract/columns';
import { crossCheckOf } from '../contract/cross-check';
import { isSound, isSteady, marksOf, reasonsOf } from '../contract/flag-text';
import { formatCount, formatTyped, missing } from '../contract/numbers';
import type { Level } from '../contract/points';
import { budgetMsOf, isWithin, levelsOf, withinBudget } from '../contract/points';
import type { Scenario } from '../contract/run-events';
import type { RunState } from '../contract/run-state';
import type { Sweep } from '../contract/sweep';
import { sweepOf } from '../contract/sweep';
import type { ReportLevel, ReportScenario } from './report';

function levelReport(level: Level, sweep: Sweep): ReportLevel {
  const { batchSize, concurrency, requestRate, point, hole } = level;
  const columns = publishedColumns(sweep);
  const loadText = requestRate === undefined ? formatCount(concurrency) : formatTyped(requestRate);
  const loads = {
    batchSize,
    concurrency,
    ...(requestRate === undefined ? {} : { requestRate }),
    load: sweep === 'batchSize' ? batchSize : (requestRate ?? concurrency),
    loadText,
  };
  if (point === null) {
    const load = [formatCount(batchSize), loadText];
    return {
      ...loads,
      cells: columns.map((_column, index) => load[index] ?? missing),
      point: null,
      steady: false,
      reasons: hole === null ? [] : [hole.reason],
      marks: hole === null ? [] : [hole.mark],
    };
  }
  return {
    ...loads,
    cells: columns.map((column) => cellText(column, point)),
    point,
    steady: isSteady(point),
    reasons: reasonsOf(point),
    marks: marksOf(point),
  };
}

/** The level that is the answer says so in the sentence that is shown everywhere; without an answer the first row does. */
function budgetColumn(state: RunState, levels: readonly Level[]): ReportScenario['budget'] {
  const budgetMs = budgetMsOf(state);
  if (budgetMs === null) return null;
  const answer = withinBudget(state, budgetMs);
  const shown = answer.best?.point ?? levels.find(({ point }) => point !== null)?.point;
  const cells = levels.map(({ point }) => {
    if (point === null) return missing;
    if (point === shown) return budgetSentence(answer);
    if (!isWithin(point, budgetMs)) return 'exceeded';
    return isSound(point) ? 'kept' : 'kept, but not steady or with errors';
  });
  return { heading: `p99 budget of ${formatTyped(budgetMs)} ms`, cells };
}

const texts = {
  offline: {
    title: 'Offline scenario',
    description: 'Static batching: one request at a time (concurrency 1), the batch size grows.',
  },
  online: {
    title: 'Online scenario',
    description: 'Many clients at once: the batch size of a request is fixed, the concurrency grows.',
  },
} as const;

const rateText =
  'Requests sent when they are due, answered or not: the batch size of a request is fixed, the request rate grows.';

/** Table of one scenario in load order, holes included. */
export function scenarioReport(
  state: RunState,
  scenario: Scenario,
  baseline: Baseline | null = null,
): ReportScenario {
  const levels = levelsOf(state, scenario);
  const sweep = sweepOf(scenario, levels);
  return {
    id: scenario,
    ...texts[scenario],
    ...(sweep === 'requestRate' ? { description: rateText } : {}),
    sweep,
    columns: publishedColumns(sweep).map(({ heading, title }) => heading ?? title),
    rows: levels.map((level) => levelReport(level, sweep)),
    crossCheck: crossCheckOf(state, scenario),
    budget: budgetColumn(state, levels),
    baseline: baselineSeries(baseline, scenario, state.spec),
  };
}
