import { budgetSentence } from '../contract/answer-text';
import { crossCheckOf } from '../contract/cross-check';
import type { Baseline } from '../contract/baseline';
import { baselineSeries } from '../contract/baseline-points';
import type { ComposingModelColumns } from '../contract/composing-model';
import { latencyIntervalUs, latencyNames } from '../contract/latency-intervals';
import type { LoadPoint } from '../contract/results';
import { formatBudgetMs } from '../contract/numbers';
import type { Scenario } from '../contract/run-events';
import type { RunState } from '../contract/run-state';
import { isSound, isSteady, marksOf, reasonsOf } from '../contract/flag-text';
import type { LoadColumn } from './load-columns';
import { loadColumnsOf } from './load-columns';
import { formatCount, formatDuration, formatFixed, formatMs, formatRate, missing } from './number-format';
import type { Level } from '../contract/points';
import { budgetMsOf, isWithin, levelsOf, withinBudget } from '../contract/points';
import type { LevelSampling, LevelSchedule, ReportComposing, ReportLevel, ReportScenario } from './report';
import type { Sweep } from '../contract/sweep';
import { achievedRate, sweepOf } from '../contract/sweep';
import { smallestOf } from '../contract/extremes';

/** Decimals are one for a whole table, so that its columns line up. */
interface Decimals {
  readonly ms: number;
  readonly rate: number;
}

/** Enough to tell the fastest level's latency and the slowest level's throughput to three digits or so. */
function decimalsFor(points: readonly LoadPoint[]): Decimals {
  const fastestUs = smallestOf(points.map(({ p50Us }) => p50Us));
  const slowest = smallestOf(points.map(({ inferencesPerSecond }) => inferencesPerSecond));
  return { ms: fastestUs < 1000 ? 3 : fastestUs < 100_000 ? 2 : 1, rate: slowest < 10 ? 2 : 1 };
}

function cell(column: LoadColumn, point: LoadPoint, decimals: Decimals): string {
  const value = column.read(point);
  switch (column.kind) {
    case 'load':
      return formatCount(value);
    case 'rate':
      return formatRate(value);
    case 'throughput':
      return formatFixed(value, decimals.rate);
    case 'component':
    case 'latency':
      return formatMs(value, decimals.ms);
  }
}

const noSampling: LevelSampling = {
  requests: missing,
  errors: missing,
  windows: missing,
  interval: missing,
  meanServerBatch: missing,
  elapsed: missing,
  clientCpu: missing,
};

function samplingOf(point: LoadPoint): LevelSampling {
  return {
    requests: formatCount(point.requestCount),
    errors: formatCount(point.errorCount),
    windows: point.windows.length === 0 ? missing : formatCount(point.windows.length),
    interval: point.throughputIntervalIps === null ? missing : `± ${formatRate(point.throughputIntervalIps)}`,
    meanServerBatch: formatFixed(point.meanServerBatch, 2),
    elapsed: formatDuration(point.elapsedUs),
    clientCpu: formatFixed(point.client?.cpuShare, 2),
  };
}

/** A value without an interval reads "12.30 ± –". */
function intervalsOf(point: LoadPoint, decimals: Decimals): readonly string[] | null {
  if (latencyNames.every((name) => latencyIntervalUs(point, name) === null)) return null;
  const rate = (perSecond: number | null) => formatFixed(perSecond, decimals.rate);
  const ms = (us: number | null) => formatMs(us, decimals.ms);
  return [
    `${rate(point.inferencesPerSecond)} ± ${rate(point.throughputIntervalIps)}`,
    ...latencyNames.map((name) => `${ms(point[name])} ± ${ms(latencyIntervalUs(point, name))}`),
  ];
}

function composingReport(model: ComposingModelColumns, decimals: Decimals): ReportComposing {
  const { modelName, modelVersion, requestCount, inferenceCount, executionCount } = model;
  const { cacheHitCount, cacheMissCount } = model;
  const cached = cacheHitCount !== null && cacheMissCount !== null && cacheHitCount + cacheMissCount > 0;
  return {
    model: modelVersion === '' ? modelName : `${modelName}, version ${modelVersion}`,
    cells: [
      formatCount(requestCount),
      ...[model.queueUs, model.computeInputUs, model.computeInferUs, model.computeOutputUs].map((us) =>
        formatMs(us, decimals.ms),
      ),
      formatFixed(
        inferenceCount === null || executionCount === null || executionCount === 0
          ? null
          : inferenceCount / executionCount,
        2,
      ),
      cached ? `${formatCount(cacheHitCount)} of ${formatCount(cacheHitCount + cacheMissCount)}` : missing,
    ],
  };
}

/** Asked and achieved, and both latencies beside each other; null of a closed loop. */
function scheduleOf(point: LoadPoint, decimals: Decimals): LevelSchedule | null {
  const { requestRate, scheduled } = point;
  if (requestRate === undefined) return null;
  const ms = (us: number | undefined) => formatMs(us, decimals.ms);
  return {
    asked: formatRate(requestRate),
    achieved: formatRate(achievedRate(point)),
    delayed: formatCount(scheduled?.delayedCount),
    fromSend: [ms(point.p50Us), ms(point.p90Us), ms(point.p95Us), ms(point.p99Us)],
    fromSchedule: [ms(scheduled?.p50Us), ms(scheduled?.p90Us), ms(scheduled?.p95Us), ms(scheduled?.p99Us)],
    maxFromSchedule: ms(scheduled?.maxUs),
  };
}

function levelReport(level: Level, sweep: Sweep, decimals: Decimals): ReportLevel {
  const { batchSize, concurrency, requestRate, point, hole } = level;
  const columns = loadColumnsOf(sweep);
  const loadText = requestRate === undefined ? formatCount(concurrency) : formatRate(requestRate);
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
      schedule: null,
      point: null,
      steady: false,
      reasons: hole === null ? [] : [hole.reason],
      marks: hole === null ? [] : [hole.mark],
      sampling: noSampling,
      intervals: null,
      errors: [],
      composing: [],
    };
  }
  return {
    ...loads,
    cells: columns.map((column) => cell(column, point, decimals)),
    schedule: scheduleOf(point, decimals),
    point,
    steady: isSteady(point),
    reasons: reasonsOf(point),
    marks: marksOf(point),
    sampling: samplingOf(point),
    intervals: intervalsOf(point, decimals),
    errors: (point.errorsByKind ?? []).map(({ kind, count, message }) => ({
      kind,
      count: formatCount(count),
      message,
    })),
    composing: (point.composing ?? []).map((model) => composingReport(model, decimals)),
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
  return { heading: `p99 budget of ${formatBudgetMs(budgetMs)} ms`, cells };
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
  const decimals = decimalsFor(levels.flatMap(({ point }) => (point === null ? [] : [point])));
  return {
    id: scenario,
    ...texts[scenario],
    ...(sweep === 'requestRate' ? { description: rateText } : {}),
    sweep,
    columns: loadColumnsOf(sweep).map(({ heading }) => heading),
    rows: levels.map((level) => levelReport(level, sweep, decimals)),
    crossCheck: crossCheckOf(state, scenario),
    budget: budgetColumn(state, levels),
    baseline: baselineSeries(baseline, scenario, state.spec),
  };
}
