import type { Candidate, Look, Searched, SearchStrategy } from '../../../contract/study/search';
import { type FedLevel, fitServiceTimes } from '../../predict/fit-service-times';
import { type MeasuredTimes, predict, type PredictedLatency, type Prediction } from '../../predict/predict';
import { batchSizeOf, rateOf, stepOfRate } from './arms';
import { isLatencySearch } from './objective';
import { replayIn } from './replay-load';

/** What a candidate is predicted to hold within the target. Not measured: it says only where to look first. */
export interface Guess {
  /** Of the ladder of loads. */
  readonly step: number;
  readonly inferencesPerSecond: number;
}

/** By candidate; null: nothing to predict it from, or outside of what was measured. */
export type Guesses = (candidate: number) => Guess | null;

export const noGuesses: Guesses = () => null;

/** The machine changes, so the last ones say most. */
const mostFed = 12;
const simulatedRequests = 1500;
/** Of the highest rate that any look gave: rates are guessed below. */
const beyondSeen = 1.5;
const lowestShare = 0.05;

/** What the predictor knows: candidates that differ only in these execute a batch alike. */
const known: ReadonlySet<string> = new Set([
  ...['instances', 'maxBatchSize', 'batching', 'preferredBatchSizes', 'maxQueueDelayUs', 'batchSize'],
]);

const kindOf = (candidate: Candidate): string =>
  JSON.stringify(Object.entries(candidate).filter(([field]) => !known.has(field)));

function fedLevel(search: SearchStrategy, look: Look): FedLevel | null {
  const serving = search.candidates[look.candidate - 1];
  const { executedBatches, avgUs = null } = look.measured ?? {};
  if (serving === undefined || executedBatches === undefined) return null;
  const rows = executedBatches.reduce((sum, { count, batchSize }) => sum + count * batchSize, 0);
  const us = executedBatches.reduce((sum, one) => sum + one.count * one.batchSize * one.computeUs, 0);
  const load =
    'concurrency' in look.load
      ? look.load
      : { concurrency: 1, requestRate: look.load.requestRate, requestDistribution: 'poisson' as const };
  return {
    serving,
    point: {
      ...load,
      ...{ batchSize: batchSizeOf(search, look.candidate), avgUs, executedBatches, flags: [] },
      ...{ serverQueueUs: look.serverQueueUs, meanServerBatch: look.meanServerBatch },
      ...{ serverComputeInputUs: null, serverComputeInferUs: rows === 0 ? null : us / rows },
      ...{ serverComputeOutputUs: null, requestCount: look.requestCount },
      inferencesPerSecond: look.inferencesPerSecond,
    },
  };
}

/** The percentile of the target, or the next higher that is predicted. */
export function latencyAt(latency: PredictedLatency, percentile: number): number {
  if (percentile <= 50) return latency.p50Us;
  if (percentile <= 90) return latency.p90Us;
  return percentile <= 95 ? latency.p95Us : latency.p99Us;
}

function isHeld({ target }: SearchStrategy, { predictedLatency }: Prediction): boolean {
  const { percentile, latencyUs } = target;
  return predictedLatency !== null && latencyAt(predictedLatency, percentile) <= (latencyUs ?? Infinity);
}

/** The highest step that is held, all below it taken to be held as well; null: none. */
function highestHeld(lowest: number, highest: number, isStepHeld: (step: number) => boolean): number | null {
  let [held, missed] = [lowest - 1, highest + 1];
  while (missed - held > 1) {
    const middle = Math.floor((held + missed) / 2);
    if (isStepHeld(middle)) held = middle;
    else missed = middle;
  }
  return held < lowest ? null : held;
}

function guessOf(
  search: SearchStrategy,
  times: MeasuredTimes,
  candidate: number,
  mostRate: number,
): Guess | null {
  const serving = search.candidates[candidate - 1];
  const { load } = search;
  if (serving === undefined) return null;
  const batchSize = batchSizeOf(search, candidate);
  const of = (step: number): Prediction =>
    predict({
      ...{ ...times, serving, batchSize, requestCount: simulatedRequests },
      arrivals:
        load.kind === 'closed'
          ? { kind: 'closed', concurrency: load.concurrency[step] ?? 1 }
          : { kind: 'poisson', requestRate: rateOf(step) },
    });
  const [lowest, highest] =
    load.kind === 'closed'
      ? [0, load.concurrency.length - 1]
      : [stepOfRate(lowestShare * mostRate), stepOfRate(beyondSeen * mostRate)];
  const step = highestHeld(lowest, highest, (one) => isHeld(search, of(one)));
  if (step === null) return null;
  const { isOutside, predictedInferencesPerSecond } = of(step);
  return isOutside ? null : { step, inferencesPerSecond: predictedInferencesPerSecond };
}

/** The last looks at candidates that execute a batch as this one does. Pure. */
export function fedLevels(
  search: SearchStrategy,
  { looks }: Pick<Searched, 'looks'>,
  serving: Candidate,
): readonly FedLevel[] {
  const kind = kindOf(serving);
  const own = looks.flatMap((look) => {
    const candidate = search.candidates[look.candidate - 1];
    if (candidate === undefined || kindOf(candidate) !== kind) return [];
    const level = fedLevel(search, look);
    return level === null ? [] : [level];
  });
  return own.slice(-mostFed);
}

/** Its loads differ, and come at times that are predicted: of the bursts of a trace Poisson times say nothing. Pure. */
export const isGuessable = (search: SearchStrategy): boolean =>
  !isLatencySearch(search) &&
  !(search.load.kind === 'open' && search.load.rate !== undefined) &&
  replayIn(search) === null;

/** Predicts the candidates of a search from its looks, each when it is asked for. Pure. */
export function guessesOf(search: SearchStrategy, { looks }: Searched): Guesses {
  if (!isGuessable(search)) return noGuesses;
  const times = new Map<string, { readonly times: MeasuredTimes | null; readonly mostRate: number }>();
  const guesses = new Map<number, Guess | null>();
  const fedOf = (serving: Candidate) => {
    const fed = fedLevels(search, { looks }, serving);
    const mostRate = fed.reduce(
      (most, { point }) => Math.max(most, point.inferencesPerSecond / point.batchSize),
      0,
    );
    return { times: fitServiceTimes(fed), mostRate };
  };
  return (candidate) => {
    const serving = search.candidates[candidate - 1];
    if (serving === undefined) return null;
    const before = guesses.get(candidate);
    if (before !== undefined) return before;
    const kind = kindOf(serving);
    const found = times.get(kind) ?? fedOf(serving);
    times.set(kind, found);
    const guess =
      found.times === null || found.mostRate === 0
        ? null
        : guessOf(search, found.times, candidate, found.mostRate);
    guesses.set(candidate, guess);
    return guess;
  };
}
