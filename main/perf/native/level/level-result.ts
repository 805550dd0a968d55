import type { InputData } from '../../../contract/measured/input-data';
import type { LatencyName, LoadPoint, MeasurementWindow } from '../../../contract/measured/results';
import { roundUs } from '../../../contract/numbers';
import { defaultErrorPercentage, type SequenceSettings } from '../../../contract/run/run-spec';
import type { LoadLevel } from '../../../contract/run/sweep';
import { present } from '../../../contract/trees';
import { mergedKinds } from '../../../domain/measured/repeats';
import { largestOf, smallestOf } from '../../../domain/statistics';
import type { Ensemble } from '../../../triton/model-traits';
import {
  isDrifting,
  isSteady,
  latencyInterval,
  partLatencies,
  stabilityWindows,
  throughputInterval,
} from '../../intervals';
import {
  type HistogramData,
  histogramError,
  histogramOf,
  LatencyHistogram,
  spreadOf,
} from '../../latency-histogram';
import { sequenceLengths } from '../../sequence-lengths';
import type { LoadJob, RecordedWindow } from '../seam/load-job';
import type { FailureCount } from '../seam/transport';
import { clientFlag, clientLoadOf } from '../windows/client-load';
import { generationOf } from './generation-result';
import { composingOf, type CountedWindow, countsOf, serverParts } from './server-parts';
import { errorsIn, refusedIn, shapeColumns, type ShapeSettings } from './shape-result';

/** Latency intervals from parts of windows, or from windows if parts have too few requests. */
function latencyIntervalsOf(
  windows: readonly RecordedWindow[],
): Required<Pick<LoadPoint, 'p99IntervalUs' | 'latencyIntervals'>> {
  const blocks = windows.flatMap(({ blockLatencies }) => blockLatencies.flatMap((block) => block ?? []));
  const whole = windows.flatMap(({ latencies }) => partLatencies(histogramOf(latencies)) ?? []);
  const stated = (name: LatencyName): number | null => {
    const halfWidth = latencyInterval([blocks, whole], name);
    return halfWidth === null ? null : roundUs(halfWidth);
  };
  return {
    p99IntervalUs: stated('p99Us'),
    latencyIntervals: {
      avgUs: stated('avgUs'),
      p50Us: stated('p50Us'),
      p90Us: stated('p90Us'),
      p95Us: stated('p95Us'),
    },
  };
}

/** Classes of a level's stored histogram. */
const histogramBins = 24;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const failureCount = (failures: readonly FailureCount[]): number =>
  sum(failures.map((failure) => failure.count));

/** Items of the successful requests of a window. */
const itemsOf = ({ items, latencies }: RecordedWindow, batchSize: number): number =>
  items ?? histogramOf(latencies).count * batchSize;

interface WindowColumns {
  readonly percentile?: number | undefined;
  /** The parts of its mean latency. */
  readonly keepsParts?: boolean | undefined;
}

/** Means of the requests; the connections are counted where their turn ends. */
function partsOf({ sendSumUs, recvSumUs }: RecordedWindow, { count, avgUs }: LatencyHistogram) {
  if (count === 0) return undefined;
  const [sendUs, receiveUs] = [sendSumUs / count, recvSumUs / count];
  return {
    ...{ connectUs: null, tlsUs: null, sendUs: roundUs(sendUs), receiveUs: roundUs(receiveUs) },
    firstByteUs: roundUs(Math.max(0, avgUs - sendUs - receiveUs)),
  };
}

/** Summary of a window for events and the result. */
export function summarizeWindow(
  window: RecordedWindow,
  batchSize: number,
  { percentile = 0, keepsParts = false }: WindowColumns = {},
): MeasurementWindow {
  const latencies = histogramOf(window.latencies);
  const { count } = latencies;
  const errorCount = failureCount(errorsIn(window.failures) ?? []);
  const refusedCount = failureCount(window.failures) - errorCount;
  return {
    durationUs: roundUs(window.durationUs),
    startUs: roundUs(window.startUs),
    requestCount: count,
    errorCount,
    ...(refusedCount === 0 ? {} : { refusedCount }),
    inferencesPerSecond: (itemsOf(window, batchSize) * 1e6) / window.durationUs,
    avgUs: roundUs(latencies.avgUs),
    p50Us: count === 0 ? null : roundUs(latencies.percentile(50)),
    p99Us: count === 0 ? null : roundUs(latencies.percentile(99)),
    ...(percentile === 0 || count === 0 ? {} : { percentileUs: roundUs(latencies.percentile(percentile)) }),
    ...(window.scheduled === null || count === 0
      ? {}
      : { scheduledP99Us: roundUs(histogramOf(window.scheduled).percentile(99)) }),
    ...(keepsParts ? present({ parts: partsOf(window, latencies) }) : {}),
  };
}

export interface MeasuredWindow extends CountedWindow {
  readonly recorded: RecordedWindow;
  readonly summary: MeasurementWindow;
}

function merged(all: readonly (HistogramData | null)[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const data of all) if (data !== null) histogram.merge(data);
  return histogram;
}

/** Items per second in the parts of a window. */
function blockRates({ blockCounts, blockUs, lastBlockUs }: RecordedWindow, batchSize: number): number[] {
  return blockCounts.map((count, index) => {
    const spanUs = index === blockCounts.length - 1 ? lastBlockUs : blockUs;
    return (count * batchSize * 1e6) / spanUs;
  });
}

/** Columns of open loops. */
function scheduledOf(windows: readonly RecordedWindow[]): LoadPoint['scheduled'] {
  if (windows.some((window) => window.scheduled === null)) return undefined;
  const scheduled = merged(windows.map((window) => window.scheduled));
  return { ...spreadOf(scheduled), delayedCount: sum(windows.map((window) => window.delayedCount)) };
}

/** Columns of streamed responses; null without any. */
function streamingOf(
  windows: readonly RecordedWindow[],
): Omit<NonNullable<LoadPoint['streaming']>, 'decoupled'> | null {
  const answers = windows.flatMap((window) => window.answers ?? []);
  if (answers.length === 0) return null;
  const first = merged(answers.map((window) => window.first));
  const between = merged(answers.map((window) => window.between));
  const final = merged(answers.map((window) => window.final));
  const count = sum(answers.map((window) => window.count));
  const answered = answers.filter((window) => window.final.total > 0);
  return {
    responsesPerRequest: count / final.count,
    responsesPerSecond: (count * 1e6) / sum(windows.map((window) => window.durationUs)),
    fewestResponses: smallestOf(answered.map((window) => window.fewest)),
    mostResponses: largestOf(answered.map((window) => window.most)),
    firstResponse: first.count === 0 ? null : spreadOf(first),
    interResponse: between.count === 0 ? null : spreadOf(between),
    finalResponse: spreadOf(final),
  };
}

/** Below 95 % of the requested rate, beyond the chance of a Poisson process. */
function missesRate(level: LoadLevel, ended: number, durationUs: number): boolean {
  if (level.requestRate === undefined) return false;
  const wanted = (level.requestRate * durationUs) / 1e6;
  return ended < 0.95 * wanted - 2 * Math.sqrt(wanted);
}

interface LevelSettings {
  readonly stabilityPercentage: number;
  /** Maximum share of failed requests before a flag. */
  readonly errorPercentage?: number | undefined;
  readonly sequences?: SequenceSettings | undefined;
  /** Stream lengths of the input data, which sequences follow. */
  readonly streams?: readonly number[] | undefined;
  /** Absent or without steps: not an ensemble. */
  readonly ensemble?: Ensemble;
  /** Decoupled model; applies only to streaming. */
  readonly decoupled?: boolean;
  /** Generators in the process; default 1. */
  readonly generators?: number;
  /** Measured by request count in one window, so stability is not judged. */
  readonly counted?: boolean;
  /** By a trace, whose own rate rises and falls. */
  readonly replayed?: boolean;
  /** 0: not requested. */
  readonly percentile?: number;
  /** Of a language model. */
  readonly tokens?: LoadJob['generation'];
  /** Of its prompts. */
  readonly promptTokens?: InputData['promptTokens'];
  /** The server has no counters of Triton. */
  readonly uncounted?: boolean;
  /** All windows count, not only the last ones. */
  readonly looks?: boolean;
  /** Absent: neither stages nor time slices. */
  readonly shape?: ShapeSettings;
}

function percentileOf(
  windows: readonly RecordedWindow[],
  latencies: LatencyHistogram,
  { percentile: percent = 0 }: LevelSettings,
): Pick<LoadPoint, 'percentile'> {
  if (percent === 0) return {};
  const scheduled = windows.some((window) => window.scheduled === null)
    ? null
    : merged(windows.map((window) => window.scheduled));
  const latencyUs = roundUs(latencies.percentile(percent));
  const scheduledUs = scheduled === null ? undefined : roundUs(scheduled.percentile(percent));
  return { percentile: { percent, latencyUs, ...present({ scheduledUs }) } };
}

/** Also considers single requests: parts with equally few requests do not scatter. */
function throughputIntervalOf(
  windows: readonly MeasuredWindow[],
  blocks: readonly number[],
  batchSize: number,
): number | null {
  const rates = windows.map(({ summary }) => summary.inferencesPerSecond);
  const count = sum(windows.map(({ recorded }) => histogramOf(recorded.latencies).count));
  const interval = throughputInterval(blocks, rates, count);
  const durationUs = sum(windows.map(({ recorded }) => recorded.durationUs));
  return interval === null ? null : Math.max(interval, (batchSize * 1e6) / durationUs);
}

function isLevelDrifting(windows: readonly RecordedWindow[], blocks: readonly number[]): boolean {
  const latencies = windows.flatMap((window) => window.blockLatencies.flatMap((block) => block ?? []));
  return isDrifting(blocks) || isDrifting(latencies.map((block) => block.avgUs));
}

/** Whether throughput or latency drifts, or the rate is missed; the rate of a trace rises and falls by itself. */
function rateSigns(
  windows: readonly RecordedWindow[],
  level: LoadLevel,
  how: {
    readonly blocks: readonly number[];
    readonly ended: number;
    readonly replayed: boolean;
    readonly latencies: LatencyHistogram;
  },
) {
  const { blocks, ended, replayed, latencies } = how;
  const durationUs = sum(windows.map((window) => window.durationUs));
  // Responses to the last requests of a trace arrive after its end.
  const sentUs = durationUs - (replayed ? latencies.percentile(99) : 0);
  return [
    !replayed && isLevelDrifting(windows, blocks) && 'drifting',
    missesRate(level, ended, sentUs) && 'rate-not-reached',
  ] as const;
}

function sequencesOf(
  windows: readonly RecordedWindow[],
  { concurrency }: LoadLevel,
  { sequences, streams }: LevelSettings,
): LoadPoint['sequences'] {
  if (sequences === undefined) return undefined;
  const ended = sum(windows.map((window) => window.sequencesEnded));
  return {
    ...sequenceLengths(sequences, streams),
    concurrent: concurrency,
    endedPerSecond: (ended * 1e6) / sum(windows.map((window) => window.durationUs)),
  };
}

const hasTooManyErrors = (
  failed: number,
  succeeded: number,
  { errorPercentage = defaultErrorPercentage }: LevelSettings,
): boolean => failed * 100 > errorPercentage * (succeeded + failed);

const countingOf = (windows: readonly MeasuredWindow[], { looks = false }: LevelSettings) =>
  looks ? windows : windows.slice(-stabilityWindows);

/** Merges the last three windows as perf_analyzer does. @returns null if none of their requests succeeded */
export function levelResult(
  windows: readonly MeasuredWindow[],
  level: LoadLevel,
  settings: LevelSettings,
): Omit<LoadPoint, 'loadTool' | 'protocol' | 'elapsedUs'> | null {
  const last = countingOf(windows, settings);
  const recorded = last.map((window) => window.recorded);
  const latencies = merged(recorded.map((window) => window.latencies));
  const { count, avgUs } = latencies;
  if (count === 0) return null;
  const summaries = windows.map((window) => window.summary);
  const stable = settings.counted === true || isSteady(summaries, settings.stabilityPercentage);
  const errorCount = sum(last.map((window) => window.summary.errorCount));
  const durationUs = sum(recorded.map((window) => window.durationUs));
  const sendUs = sum(recorded.map((window) => window.sendSumUs)) / count;
  const recvUs = sum(recorded.map((window) => window.recvSumUs)) / count;
  const { cache, executedBatches, meanServerBatch } = countsOf(last);
  const items = sum(recorded.map((window) => itemsOf(window, level.batchSize)));
  const blocks = recorded.flatMap((window) => blockRates(window, items / count));
  const client = clientLoadOf(recorded);
  const { decoupled = false, generators = 1, replayed = false } = settings;
  const streaming = streamingOf(recorded);
  const bins = latencies.bins(histogramBins);
  const ended = mergedKinds(recorded.flatMap((window) => window.failures));
  const refusals = failureCount(ended) - errorCount;
  const signs = [
    !stable && 'unstable',
    hasTooManyErrors(errorCount, count + refusals, settings) && 'errors',
    hasTooManyErrors(refusals, count + errorCount, settings) && 'refused',
    windows.some((window) => window.recorded.overSaturated === true) && 'over-saturated',
    clientFlag(client, latencies.percentile(50), generators),
    settings.uncounted !== true && windows.some((window) => window.server === null) && 'server-restarted',
    ...rateSigns(recorded, level, { blocks, latencies, ended: count + errorCount + refusals, replayed }),
  ] as const;
  return {
    ...level,
    inferencesPerSecond: (items * 1e6) / durationUs,
    clientSendUs: roundUs(sendUs),
    ...serverParts(last, settings.ensemble, avgUs - sendUs - recvUs),
    clientRecvUs: roundUs(recvUs),
    p50Us: roundUs(latencies.percentile(50)),
    p90Us: roundUs(latencies.percentile(90)),
    p95Us: roundUs(latencies.percentile(95)),
    p99Us: roundUs(latencies.percentile(99)),
    avgUs: roundUs(avgUs),
    ...percentileOf(recorded, latencies, settings),
    requestCount: count,
    errorCount,
    stable,
    flags: signs.filter((sign) => sign !== false && sign !== null),
    meanServerBatch,
    throughputIntervalIps: replayed ? null : throughputIntervalOf(last, blocks, level.batchSize),
    ...latencyIntervalsOf(recorded),
    percentileError: histogramError,
    histogram: { edgesUs: bins.edgesUs.map(roundUs), counts: bins.counts },
    ...present({ scheduled: scheduledOf(recorded) }),
    client,
    ...present({
      clientCpuUsPerRequest:
        client.cpuShare === null ? null : roundUs((client.cpuShare * durationUs) / count),
      streaming: streaming === null ? null : { decoupled, ...streaming },
      generation: generationOf(recorded, settings.tokens, settings.promptTokens),
      sequences: sequencesOf(recorded, level, settings),
      cache,
      executedBatches,
      composing: composingOf(last, settings.ensemble),
      errorsByKind: errorsIn(ended),
      refused: refusedIn(ended),
    }),
    ...shapeColumns(
      windows.map((window) => window.recorded),
      level,
      items / count,
      settings.shape,
    ),
    windows: summaries,
  };
}
