import { crossCheckOf } from '../contract/cross-check';
import type { Baseline } from '../contract/baseline';
import { baselineSeries } from '../contract/baseline-points';
import type { LoadPoint } from '../contract/results';
import type { Scenario } from '../contract/run-events';
import type { RunState } from '../contract/run-state';
import { marksOf, reasonsOf } from '../contract/flag-text';
import type { LoadColumn } from './load-columns';
import { loadColumns } from './load-columns';
import { formatCount, formatDuration, formatFixed, formatMs, formatRate, missing } from './number-format';
import type { Level } from '../contract/points';
import { isSteady, levelsOf } from '../contract/points';
import type { LevelSampling, ReportLevel, ReportScenario } from './report';

/** Decimals are one for a whole table, so that its columns line up. */
interface Decimals {
  readonly ms: number;
  readonly rate: number;
}

/** Enough to tell the fastest level's latency and the slowest level's throughput to three digits or so. */
function decimalsFor(points: readonly LoadPoint[]): Decimals {
  const fastestUs = Math.min(...points.map(({ p50Us }) => p50Us));
  const slowest = Math.min(...points.map(({ inferencesPerSecond }) => inferencesPerSecond));
  return { ms: fastestUs < 1000 ? 3 : fastestUs < 100_000 ? 2 : 1, rate: slowest < 10 ? 2 : 1 };
}

function cell(column: LoadColumn, point: LoadPoint, decimals: Decimals): string {
  const value = column.read(point);
  switch (column.kind) {
    case 'load':
      return formatCount(value);
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
};

function samplingOf(point: LoadPoint): LevelSampling {
  return {
    requests: formatCount(point.requestCount),
    errors: formatCount(point.errorCount),
    windows: point.windows.length === 0 ? missing : formatCount(point.windows.length),
    interval: point.throughputIntervalIps === null ? missing : `± ${formatRate(point.throughputIntervalIps)}`,
    meanServerBatch: formatFixed(point.meanServerBatch, 2),
    elapsed: formatDuration(point.elapsedUs),
  };
}

function levelReport(level: Level, decimals: Decimals): ReportLevel {
  const { batchSize, concurrency, point, hole } = level;
  if (point === null) {
    const load = [formatCount(batchSize), formatCount(concurrency)];
    return {
      batchSize,
      concurrency,
      cells: loadColumns.map((_column, index) => load[index] ?? missing),
      point: null,
      steady: false,
      reasons: hole === null ? [] : [hole.reason],
      marks: hole === null ? [] : [hole.mark],
      sampling: noSampling,
    };
  }
  return {
    batchSize,
    concurrency,
    cells: loadColumns.map((column) => cell(column, point, decimals)),
    point,
    steady: isSteady(point),
    reasons: reasonsOf(point),
    marks: marksOf(point),
    sampling: samplingOf(point),
  };
}

const texts = {
  offline: {
    title: 'Offline scenario',
    description: 'Static batching: one request at a time (concurrency 1), the batch size grows.',
    sweep: 'batchSize',
  },
  online: {
    title: 'Online scenario',
    description: 'Many clients at once: the batch size of a request is fixed, the concurrency grows.',
    sweep: 'concurrency',
  },
} as const;

const rateText =
  'Requests sent when they are due, answered or not: the batch size of a request is fixed, the rate grows.';

/** Table of one scenario in load order, holes included. */
export function scenarioReport(
  state: RunState,
  scenario: Scenario,
  baseline: Baseline | null = null,
): ReportScenario {
  const levels = levelsOf(state, scenario);
  const decimals = decimalsFor(levels.flatMap(({ point }) => (point === null ? [] : [point])));
  return {
    id: scenario,
    ...texts[scenario],
    ...(levels.some((level) => level.requestRate !== undefined) ? { description: rateText } : {}),
    columns: loadColumns.map(({ heading }) => heading),
    rows: levels.map((level) => levelReport(level, decimals)),
    crossCheck: crossCheckOf(state, scenario),
    baseline: baselineSeries(baseline, scenario, state.spec),
  };
}
