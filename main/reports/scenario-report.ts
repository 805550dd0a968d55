import { budgetSentence } from '../contract/answer-text';
import { crossCheckOf } from '../contract/cross-check';
import type { Baseline } from '../contract/baseline';
import { baselineSeries } from '../contract/baseline-points';
import type { ComposingModelColumns } from '../contract/composing-model';
import { latencyIntervalUs, latencyNames } from '../contract/latency-intervals';
import type { LoadPoint } from '../contract/results';
import type { Scenario } from '../contract/run-events';
import type { RunState } from '../contract/run-state';
import { isSound, isSteady, marksOf, reasonsOf } from '../contract/flag-text';
import type { LoadColumn } from './load-columns';
import { loadColumnsOf } from './load-columns';
import {
  formatCount,
  exactMs,
  formatDuration,
  formatHalfWidth,
  formatMeasured,
  formatMs,
  formatRate,
  formatTyped,
  missing,
} from '../contract/numbers';
import type { Level } from '../contract/points';
import { budgetMsOf, isWithin, levelsOf, withinBudget } from '../contract/points';
import type { LevelSampling, LevelSchedule, ReportComposing, ReportLevel, ReportScenario } from './report';
import type { Sweep } from '../contract/sweep';
import { achievedRate, sweepOf } from '../contract/sweep';

function cell(column: LoadColumn, point: LoadPoint): string {
  const value = column.read(point);
  switch (column.kind) {
    case 'load':
      return formatCount(value);
    case 'rate':
      return formatTyped(value);
    case 'throughput':
      return formatRate(value);
    case 'component':
    case 'latency':
      return formatMs(value);
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
    interval:
      point.throughputIntervalIps === null
        ? missing
        : `± ${formatHalfWidth(point.throughputIntervalIps, point.inferencesPerSecond)}`,
    meanServerBatch: formatMeasured(point.meanServerBatch),
    elapsed: formatDuration(point.elapsedUs),
    clientCpu: formatMeasured(point.client?.cpuShare),
  };
}

/** A value without an interval reads "12.30 ± –". */
function intervalsOf(point: LoadPoint): readonly string[] | null {
  if (latencyNames.every((name) => latencyIntervalUs(point, name) === null)) return null;
  return [
    `${formatRate(point.inferencesPerSecond)} ± ${formatHalfWidth(point.throughputIntervalIps, point.inferencesPerSecond)}`,
    ...latencyNames.map(
      (name) =>
        `${formatMs(point[name])} ± ${formatHalfWidth(exactMs(latencyIntervalUs(point, name)), exactMs(point[name]))}`,
    ),
  ];
}

function composingReport(model: ComposingModelColumns): ReportComposing {
  const { modelName, modelVersion, requestCount, inferenceCount, executionCount } = model;
  const { cacheHitCount, cacheMissCount } = model;
  const cached = cacheHitCount !== null && cacheMissCount !== null && cacheHitCount + cacheMissCount > 0;
  return {
    model: modelVersion === '' ? modelName : `${modelName}, version ${modelVersion}`,
    cells: [
      formatCount(requestCount),
      ...[model.queueUs, model.computeInputUs, model.computeInferUs, model.computeOutputUs].map((us) =>
        formatMs(us),
      ),
      formatMeasured(
        inferenceCount === null || executionCount === null || executionCount === 0
          ? null
          : inferenceCount / executionCount,
      ),
      cached ? `${formatCount(cacheHitCount)} of ${formatCount(cacheHitCount + cacheMissCount)}` : missing,
    ],
  };
}

/** Asked and achieved, and both latencies beside each other; null of a closed loop. */
function scheduleOf(point: LoadPoint): LevelSchedule | null {
  const { requestRate, scheduled } = point;
  if (requestRate === undefined) return null;
  const ms = formatMs;
  return {
    asked: formatTyped(requestRate),
    achieved: formatRate(achievedRate(point)),
    delayed: formatCount(scheduled?.delayedCount),
    fromSend: [ms(point.p50Us), ms(point.p90Us), ms(point.p95Us), ms(point.p99Us)],
    fromSchedule: [ms(scheduled?.p50Us), ms(scheduled?.p90Us), ms(scheduled?.p95Us), ms(scheduled?.p99Us)],
    maxFromSchedule: ms(scheduled?.maxUs),
  };
}

function levelReport(level: Level, sweep: Sweep): ReportLevel {
  const { batchSize, concurrency, requestRate, point, hole } = level;
  const columns = loadColumnsOf(sweep);
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
    cells: columns.map((column) => cell(column, point)),
    schedule: scheduleOf(point),
    point,
    steady: isSteady(point),
    reasons: reasonsOf(point),
    marks: marksOf(point),
    sampling: samplingOf(point),
    intervals: intervalsOf(point),
    errors: (point.errorsByKind ?? []).map(({ kind, count, message }) => ({
      kind,
      count: formatCount(count),
      message,
    })),
    composing: (point.composing ?? []).map((model) => composingReport(model)),
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
    columns: loadColumnsOf(sweep).map(({ heading }) => heading),
    rows: levels.map((level) => levelReport(level, sweep)),
    crossCheck: crossCheckOf(state, scenario),
    budget: budgetColumn(state, levels),
    baseline: baselineSeries(baseline, scenario, state.spec),
  };
}
