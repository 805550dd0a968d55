import type { WireError } from '../errors';
import type { LoadPoint } from '../measured/results';
import { type Scenario, scenarios } from './run-events';
import { type LoadTool, loadTools, type PerformanceSpec } from './run-spec';

/** What is sent at one level of a scenario. */
export interface LoadLevel {
  readonly batchSize: number;
  /** Requests under way; with a rate the most that may be. */
  readonly concurrency: number;
  /** Requests a second, sent when due (open loop); absent: a closed loop. */
  readonly requestRate?: number | undefined;
}

/** Requests under way at most in an open loop: more would wait for a server that does not keep up anyway. */
export const mostUnderWay = 128;

/** Requests a second that a list of intervals makes. */
export function rateOfIntervals(intervalsUs: readonly number[]): number {
  return (1e6 * intervalsUs.length) / intervalsUs.reduce((sum, interval) => sum + interval, 0);
}

/**
 * The levels of a scenario: offline a batch size each, one request at a time; online a concurrency each, or a request rate
 * each where there are any. A search measures some of the online levels, these ascending.
 */
export function scenarioLevels(
  performance: Pick<
    PerformanceSpec,
    'batchSizes' | 'concurrency' | 'onlineBatchSize' | 'requestRates' | 'requestIntervalsUs' | 'search'
  > &
    Pick<Partial<PerformanceSpec>, 'sequences'>,
  scenario: Scenario,
): readonly LoadLevel[] {
  if (scenario === 'offline') {
    return performance.batchSizes.map((batchSize) => ({ batchSize, concurrency: 1 }));
  }
  const { onlineBatchSize: batchSize, requestRates, requestIntervalsUs, search } = performance;
  const rates = requestIntervalsUs.length > 0 ? [rateOfIntervals(requestIntervalsUs)] : requestRates;
  const ordered = (values: readonly number[]) =>
    search === 'none' ? values : [...new Set(values)].sort((a, b) => a - b);
  const most = performance.sequences?.concurrent ?? mostUnderWay;
  return rates.length > 0
    ? ordered(rates).map((requestRate) => ({ batchSize, concurrency: most, requestRate }))
    : ordered(performance.concurrency).map((concurrency) => ({ batchSize, concurrency }));
}

/** Two levels with the same key are the same level. */
export const loadKey = ({ batchSize, concurrency, requestRate }: LoadLevel): string =>
  requestRate === undefined ? `${batchSize}/${concurrency}` : `${batchSize}/${concurrency}/${requestRate}`;

/** By batch size, then by rate or concurrency. */
export const byLoad = (a: LoadLevel, b: LoadLevel): number =>
  a.batchSize - b.batchSize || (a.requestRate ?? a.concurrency) - (b.requestRate ?? b.concurrency);

/** What the levels of a table or chart differ in. */
export type Sweep = 'batchSize' | 'concurrency' | 'requestRate';

/** perf_analyzer's terms. */
export const sweepTitle: Readonly<Record<Sweep, string>> = {
  batchSize: 'Batch size',
  concurrency: 'Concurrency',
  requestRate: 'Request rate',
};

/** The same on an axis or over a column: with the unit where there is one. */
export const sweepHeading: Readonly<Record<Sweep, string>> = {
  ...sweepTitle,
  requestRate: 'Request rate (requests/s)',
};

export const scenarioOf = (sweep: Sweep): Scenario => (sweep === 'batchSize' ? 'offline' : 'online');

/** What one level belongs to: offline the batch size, online what it was measured by. */
export function sweepOfLevel(scenario: Scenario, level: Pick<LoadLevel, 'requestRate'>): Sweep {
  if (scenario === 'offline') return 'batchSize';
  return level.requestRate === undefined ? 'concurrency' : 'requestRate';
}

/** Of several levels: they are the request rate's as soon as one of them is. */
export function sweepOf(scenario: Scenario, levels: readonly Pick<LoadLevel, 'requestRate'>[]): Sweep {
  if (scenario === 'offline') return 'batchSize';
  return levels.some(({ requestRate }) => requestRate !== undefined) ? 'requestRate' : 'concurrency';
}

/** What a specification's scenario varies, before anything is measured. */
export function plannedSweep(
  { requestRates, requestIntervalsUs }: Pick<PerformanceSpec, 'requestRates' | 'requestIntervalsUs'>,
  scenario: Scenario,
): Sweep {
  if (scenario === 'offline') return 'batchSize';
  return requestRates.length + requestIntervalsUs.length > 0 ? 'requestRate' : 'concurrency';
}

/** Several batch sizes at the same load, as a grid has them: no line through the levels says anything. */
export const isGrid = (scenario: Scenario, levels: readonly Pick<LoadLevel, 'batchSize'>[]): boolean =>
  scenario === 'online' && new Set(levels.map(({ batchSize }) => batchSize)).size > 1;

/** Requests a second that were answered. */
export const achievedRate = (point: Pick<LoadPoint, 'inferencesPerSecond' | 'batchSize'>): number =>
  point.inferencesPerSecond / point.batchSize;

/** The p99 that counts: from the schedule in an open loop, so that no wait is left out. */
export function budgetLatencyUs(point: {
  readonly p99Us: number;
  readonly scheduled?: { readonly p99Us: number } | undefined;
}): number {
  return point.scheduled?.p99Us ?? point.p99Us;
}

/** What a search compares with its threshold: the percentile that was asked for, or the p99. */
export const searchLatencyUs = (point: LoadPoint): number =>
  point.percentile === undefined
    ? budgetLatencyUs(point)
    : (point.percentile.scheduledUs ?? point.percentile.latencyUs);

/** The load of one scenario: what holds for both, and what it does otherwise. */
export function ofScenario(performance: PerformanceSpec, scenario: Scenario): PerformanceSpec {
  const { offline = {}, online = {}, ...both } = performance;
  const own = scenario === 'offline' ? offline : online;
  return {
    ...both,
    loadTool: own.loadTool ?? both.loadTool,
    protocol: own.protocol ?? both.protocol,
    sharedMemory: own.sharedMemory ?? both.sharedMemory,
    measurementRequestCount: own.measurementRequestCount ?? both.measurementRequestCount,
  };
}

/** The same of both scenarios: what the server has to allow. */
export const ofScenarios = (performance: PerformanceSpec): readonly PerformanceSpec[] =>
  scenarios.map((scenario) => ofScenario(performance, scenario));

/** Shared memory that the run needs at all: of both scenarios the one that asks for more. */
export function sharedMemoryOf(performance: PerformanceSpec): PerformanceSpec['sharedMemory'] {
  const kinds = ofScenarios(performance).map(({ sharedMemory }) => sharedMemory);
  return kinds.find((kind) => kind === 'cuda') ?? kinds.find((kind) => kind === 'system') ?? 'none';
}

/** One measurement of a sweep. */
export interface MeasuringTurn {
  readonly level: LoadLevel;
  /** 1, 2, ... */
  readonly repeat: number;
  readonly loadTool: LoadTool;
}

/** The tools that measure: the chosen one, and in a cross-check the other beside it. */
export function toolsOf({
  loadTool,
  crossCheck,
}: Pick<PerformanceSpec, 'loadTool' | 'crossCheck'>): readonly [LoadTool, ...LoadTool[]] {
  return crossCheck ? [loadTool, ...loadTools.filter((other) => other !== loadTool)] : [loadTool];
}

/**
 * All levels, round after round: A B A B, so that a drift of the machine falls on all levels alike. Two tools take turns
 * at each level and change places every round, so that neither is always the one that measures first.
 */
export function measuringOrder(
  levels: readonly LoadLevel[],
  repeats: number,
  tools: readonly LoadTool[],
): readonly MeasuringTurn[] {
  return Array.from({ length: repeats }, (_unused, index) => index + 1).flatMap((repeat) => {
    const inOrder = repeat % 2 === 1 ? tools : [...tools].reverse();
    return levels.flatMap((level) => inOrder.map((loadTool) => ({ level, repeat, loadTool })));
  });
}

/** Every measurement that the specification asks for; of a search those that it may try. */
export function plannedTurns(performance: PerformanceSpec, scenario: Scenario): readonly MeasuringTurn[] {
  const tools = toolsOf(ofScenario(performance, scenario));
  return measuringOrder(scenarioLevels(performance, scenario), performance.repeats, tools);
}

/** Two turns with the same key are the same measurement. */
export const turnKey = ({ level, repeat, loadTool }: MeasuringTurn): string =>
  `${loadKey(level)}/${repeat}/${loadTool}`;

/** The turn that a measured or missing level belongs to; `chosen`: the tool of a hole that does not say its own. */
export function turnOf(
  of: LoadLevel & Partial<Pick<LoadPoint, 'repeat' | 'loadTool'>>,
  chosen: LoadTool,
): MeasuringTurn {
  return { level: of, repeat: of.repeat ?? 1, loadTool: of.loadTool ?? chosen };
}

export interface MissingPoint {
  readonly key: string;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly requestRate?: number;
  readonly repeat?: number;
  readonly loadTool?: LoadTool;
  readonly error: WireError;
}

export interface MeasuredPoint {
  readonly key: string;
  readonly point: LoadPoint;
}

/** A measurement that is due once more. */
export interface DueAgain {
  readonly scenario: Scenario;
  /** Of the measurement that stands until then. */
  readonly key: string;
  /** How much longer its windows are. */
  readonly times: number;
}

export interface ScenarioState {
  /** In the order of measuring; sort by load to show. */
  readonly points: readonly MeasuredPoint[];
  readonly missing: readonly MissingPoint[];
}
