import type { WireError } from '../errors';
import { firstRateOf } from '../load/stages';
import type { LoadPoint } from '../measured/results';
import { present } from '../trees';
import { type Scenario, scenarios } from './run-events';
import { type LoadTool, loadTools, type PerformanceSpec, type Replay } from './run-spec';

export interface LoadLevel {
  readonly batchSize: number;
  /** Requests in flight; with a rate the maximum. */
  readonly concurrency: number;
  /** Requests per second, open loop; absent: closed loop. */
  readonly requestRate?: number | undefined;
}

/** Requests in flight at most in an open loop: a server that does not keep up would only queue more. */
export const mostUnderWay = 128;
/** With stages: enough that a server with a limited queue refuses before the client waits. */
const mostUnderStages = 512;

/** Of a cross-check: with fewer, two equal tools often differ by chance; with 2 each, in one of three columns. */
export const fewestRounds = 3;

/** Mean requests per second of a list of intervals. */
export function rateOfIntervals(intervalsUs: readonly number[]): number {
  return (1e6 * intervalsUs.length) / intervalsUs.reduce((sum, interval) => sum + interval, 0);
}

/** Mean requests a second of a trace, as it is sent; before it was read nobody knows, and it is the speed. */
export const rateOfReplay = ({ speed, read }: Replay): number =>
  read === undefined ? speed : (speed * read.requests) / read.seconds;

type OpenLoad = Pick<PerformanceSpec, 'requestRates' | 'requestIntervalsUs'> &
  Pick<Partial<PerformanceSpec>, 'replay' | 'stages'>;

/** Requests a second of each online level that is an open loop; none: they are closed loops. */
function ratesOf({ requestRates, requestIntervalsUs, replay, stages }: OpenLoad): readonly number[] {
  if (replay !== undefined) return [rateOfReplay(replay)];
  if (requestIntervalsUs.length > 0) return [rateOfIntervals(requestIntervalsUs)];
  if (stages === undefined || requestRates.length > 0) return requestRates;
  const first = firstRateOf(stages);
  return first === null ? [] : [first];
}

/** Whether online requests are sent when they are due, in place of a number of them at a time. */
export const isOpenLoop = (load: OpenLoad): boolean => ratesOf(load).length > 0;

export function scenarioLevels(
  performance: Pick<
    PerformanceSpec,
    'batchSizes' | 'concurrency' | 'onlineBatchSize' | 'requestRates' | 'requestIntervalsUs' | 'search'
  > &
    Pick<Partial<PerformanceSpec>, 'sequences' | 'replay' | 'stages'>,
  scenario: Scenario,
): readonly LoadLevel[] {
  if (scenario === 'offline') {
    return performance.batchSizes.map((batchSize) => ({ batchSize, concurrency: 1 }));
  }
  const { onlineBatchSize: batchSize, search } = performance;
  const rates = ratesOf(performance);
  const ordered = (values: readonly number[]) =>
    search === 'none' ? values : [...new Set(values)].sort((a, b) => a - b);
  const usual = performance.stages === undefined ? mostUnderWay : mostUnderStages;
  const most = performance.sequences?.concurrent ?? usual;
  return rates.length > 0
    ? ordered(rates).map((requestRate) => ({ batchSize, concurrency: most, requestRate }))
    : ordered(performance.concurrency).map((concurrency) => ({ batchSize, concurrency }));
}

/** Equal keys mean the same level. */
export const loadKey = ({ batchSize, concurrency, requestRate }: LoadLevel): string =>
  requestRate === undefined ? `${batchSize}/${concurrency}` : `${batchSize}/${concurrency}/${requestRate}`;

export const byLoad = (a: LoadLevel, b: LoadLevel): number =>
  a.batchSize - b.batchSize || (a.requestRate ?? a.concurrency) - (b.requestRate ?? b.concurrency);

export type Sweep = 'batchSize' | 'concurrency' | 'requestRate';

/** perf_analyzer's terms. */
export const sweepTitle: Readonly<Record<Sweep, string>> = {
  batchSize: 'Batch size',
  concurrency: 'Concurrency',
  requestRate: 'Request rate',
};

export const sweepHeading: Readonly<Record<Sweep, string>> = {
  ...sweepTitle,
  requestRate: 'Request rate (requests/s)',
};

export const scenarioOf = (sweep: Sweep): Scenario => (sweep === 'batchSize' ? 'offline' : 'online');

export function sweepOfLevel(scenario: Scenario, level: Pick<LoadLevel, 'requestRate'>): Sweep {
  if (scenario === 'offline') return 'batchSize';
  return level.requestRate === undefined ? 'concurrency' : 'requestRate';
}

/** The request rate as soon as one level has one. */
export function sweepOf(scenario: Scenario, levels: readonly Pick<LoadLevel, 'requestRate'>[]): Sweep {
  if (scenario === 'offline') return 'batchSize';
  return levels.some(({ requestRate }) => requestRate !== undefined) ? 'requestRate' : 'concurrency';
}

export function plannedSweep(load: OpenLoad, scenario: Scenario): Sweep {
  if (scenario === 'offline') return 'batchSize';
  return isOpenLoop(load) ? 'requestRate' : 'concurrency';
}

/** Several batch sizes at the same load: a line through the levels would be meaningless. */
export const isGrid = (scenario: Scenario, levels: readonly Pick<LoadLevel, 'batchSize'>[]): boolean =>
  scenario === 'online' && new Set(levels.map(({ batchSize }) => batchSize)).size > 1;

/** Items of a request; of a trace whose requests differ the mean. */
export const itemsPerRequest = ({ batchSize, replay }: Pick<LoadPoint, 'batchSize' | 'replay'>): number =>
  replay?.meanBatchSize ?? batchSize;

export const achievedRate = (
  point: Pick<LoadPoint, 'inferencesPerSecond' | 'batchSize' | 'replay'>,
): number => point.inferencesPerSecond / itemsPerRequest(point);

/** From the schedule in an open loop, so that no wait is left out. */
export function budgetLatencyUs(point: {
  readonly p99Us: number;
  readonly scheduled?: { readonly p99Us: number } | undefined;
}): number {
  return point.scheduled?.p99Us ?? point.p99Us;
}

/** Compared with a search's threshold: the requested percentile, or p99. */
export const searchLatencyUs = (point: LoadPoint): number =>
  point.percentile === undefined
    ? budgetLatencyUs(point)
    : (point.percentile.scheduledUs ?? point.percentile.latencyUs);

/** Load of one scenario: common values under its own. */
export function ofScenario(performance: PerformanceSpec, scenario: Scenario): PerformanceSpec {
  const { offline = {}, online = {}, replay, stages, ...both } = performance;
  const own = scenario === 'offline' ? offline : online;
  return {
    ...both,
    // Requests of a trace or of stages are sent online.
    ...(scenario === 'offline' ? {} : present({ replay, stages })),
    loadTool: own.loadTool ?? both.loadTool,
    protocol: own.protocol ?? both.protocol,
    sharedMemory: own.sharedMemory ?? both.sharedMemory,
    measurementRequestCount: own.measurementRequestCount ?? both.measurementRequestCount,
  };
}

export const ofScenarios = (performance: PerformanceSpec): readonly PerformanceSpec[] =>
  scenarios.map((scenario) => ofScenario(performance, scenario));

export function sharedMemoryOf(performance: PerformanceSpec): PerformanceSpec['sharedMemory'] {
  const kinds = ofScenarios(performance).map(({ sharedMemory }) => sharedMemory);
  return kinds.find((kind) => kind === 'cuda') ?? kinds.find((kind) => kind === 'system') ?? 'none';
}

export interface MeasuringTurn {
  readonly level: LoadLevel;
  readonly repeat: number;
  readonly loadTool: LoadTool;
}

/** The chosen tool, and in a cross-check the other one. */
export function toolsOf({
  loadTool,
  crossCheck,
}: Pick<PerformanceSpec, 'loadTool' | 'crossCheck'>): readonly [LoadTool, ...LoadTool[]] {
  return crossCheck ? [loadTool, ...loadTools.filter((other) => other !== loadTool)] : [loadTool];
}

/**
 * Levels in rounds, A B A B, so that drift of the machine affects all alike. Two tools alternate at each level and
 * swap places every round, so that neither always measures first.
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

/** Of a search those that it may try. */
export function plannedTurns(performance: PerformanceSpec, scenario: Scenario): readonly MeasuringTurn[] {
  const tools = toolsOf(ofScenario(performance, scenario));
  return measuringOrder(scenarioLevels(performance, scenario), performance.repeats, tools);
}

/** Equal keys mean the same measurement. */
export const turnKey = ({ level, repeat, loadTool }: MeasuringTurn): string =>
  `${loadKey(level)}/${repeat}/${loadTool}`;

/** Turn of a measured or missing level; `chosen`: the tool of a missing level without one. */
export function turnOf(
  of: LoadLevel & Partial<Pick<LoadPoint, 'repeat' | 'loadTool'>>,
  chosen: LoadTool,
): MeasuringTurn {
  const { batchSize, concurrency, requestRate } = of;
  // Of a measured level no more than was asked for: its key is a hash of all.
  const level = { batchSize, concurrency, ...present({ requestRate }) };
  return { level, repeat: of.repeat ?? 1, loadTool: of.loadTool ?? chosen };
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

export interface DueAgain {
  readonly scenario: Scenario;
  /** Of the measurement that remains until then. */
  readonly key: string;
  /** Factor of the window length. */
  readonly times: number;
}

export interface ScenarioState {
  /** In measuring order; sort by load to show. */
  readonly points: readonly MeasuredPoint[];
  readonly missing: readonly MissingPoint[];
}
