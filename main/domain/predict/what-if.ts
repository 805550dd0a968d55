import type { LoadPoint } from '../../contract/measured/results';
import { formatCount } from '../../contract/numbers';
import { specOf } from '../../contract/run/run-source';
import type { ConfigureSpec } from '../../contract/run/run-spec';
import type { RunState } from '../../contract/run/run-state';
import { budgetLatencyUs } from '../../contract/run/sweep';
import { measuredPoints } from '../measured/points';
import { largestOf, medianOf } from '../statistics';
import { type Arrivals, arrivalsOfLevel } from './arrivals';
import { fitServiceTimes } from './fit-service-times';
import { type MeasuredTimes, predict, type PredictedServing, type Prediction } from './predict';

export const whatIfFields = [
  ...(['rate', 'concurrency', 'instances', 'maxBatchSize', 'maxQueueDelayUs', 'batchSize'] as const),
] as const;

/** Load and serving that a run was not measured with; an absent value is that of the run. */
export interface WhatIfAsk {
  /** Requests per second with Poisson arrivals. */
  readonly rate?: number | undefined;
  /** Requests under way, in place of a rate. */
  readonly concurrency?: number | undefined;
  readonly instances?: number | undefined;
  readonly maxBatchSize?: number | undefined;
  readonly maxQueueDelayUs?: number | undefined;
  /** Rows per request. */
  readonly batchSize?: number | undefined;
}

/** Median errors of what is predicted for levels that were measured; 0.1 is 10 %. */
export interface PredictorCheck {
  readonly levels: number;
  readonly throughput: number;
  /** null: no level has a predicted p99. */
  readonly p99: number | null;
}

/** What was measured, and hence what can be predicted. */
export interface MeasuredRange {
  /** Rows of an execution. */
  readonly largestBatch: number;
  /** At the same time; whole. */
  readonly busyInstances: number;
}

export interface WhatIf {
  readonly serving: PredictedServing;
  readonly arrivals: Exclude<Arrivals, { kind: 'recorded' }>;
  readonly batchSize: number;
  readonly predicted: Prediction;
  /** The same load on the configuration of the run, predicted; null: it is the same configuration. */
  readonly present: Prediction | null;
  readonly check: PredictorCheck;
  readonly range: MeasuredRange;
}

/** A run that nothing can be predicted from. */
export interface Unpredictable {
  /** A sentence. */
  readonly reason: string;
}

/** A run as the predictor takes it. */
export interface PredictableRun {
  readonly times: MeasuredTimes;
  readonly configure: ConfigureSpec;
  readonly points: readonly LoadPoint[];
  readonly check: PredictorCheck;
  readonly range: MeasuredRange;
}

const simulatedRequests = 10_000;
const checkedRequests = 2000;

const errorOf = (predicted: number, measured: number): number =>
  measured > 0 ? Math.abs(predicted / measured - 1) : 0;

const servingOf = (configure: ConfigureSpec): PredictedServing => configure;

/** How well it finds the levels again that it was fed with. */
function checkOf(
  times: MeasuredTimes,
  configure: ConfigureSpec,
  points: readonly LoadPoint[],
): PredictorCheck {
  const pairs = points.map((point) => ({
    point,
    predicted: predict({
      ...times,
      serving: servingOf(configure),
      arrivals: arrivalsOfLevel(point),
      ...{ batchSize: point.batchSize, requestCount: checkedRequests },
    }),
  }));
  const p99 = pairs.flatMap(({ point, predicted: { predictedLatency } }) =>
    predictedLatency === null ? [] : [errorOf(predictedLatency.p99Us, budgetLatencyUs(point))],
  );
  const throughput = pairs.map(({ point, predicted }) =>
    errorOf(predicted.predictedInferencesPerSecond, point.inferencesPerSecond),
  );
  return {
    levels: points.length,
    throughput: medianOf(throughput),
    p99: p99.length === 0 ? null : medianOf(p99),
  };
}

const known = new WeakMap<RunState, PredictableRun | Unpredictable>();

/** Of a run with levels and a configuration; else why not. Cached by state, which is immutable. */
export function predictableRun(state: RunState): PredictableRun | Unpredictable {
  const before = known.get(state);
  if (before !== undefined) return before;
  const found = findPredictable(state);
  known.set(state, found);
  return found;
}

function findPredictable(state: RunState): PredictableRun | Unpredictable {
  const configure = specOf(state)?.configure;
  if (configure === undefined) {
    return { reason: 'The run does not have the configuration of its model, so nothing can be predicted.' };
  }
  const points = measuredPoints(state)
    .map(({ point }) => point)
    .filter(({ replay, stages }) => (replay ?? stages) === undefined);
  if (points.length === 0) {
    return { reason: 'The run has no measured level at a constant load, so nothing can be predicted.' };
  }
  const times = fitServiceTimes(points.map((point) => ({ point, serving: servingOf(configure) })));
  if (times === null) {
    const reason =
      'No level of the run has the server’s execution times by batch size, so nothing can be predicted.';
    return { reason };
  }
  const range = {
    largestBatch: largestOf(times.serviceTimes.map(({ batch }) => batch)),
    busyInstances: Math.round(largestOf(times.serviceTimes.map(({ busyInstances }) => busyInstances))),
  };
  const made: { check: PredictorCheck | null } = { check: null };
  return {
    ...{ times, configure, points, range },
    // Simulated when asked for: what limits a run needs the times only.
    get check() {
      return (made.check ??= checkOf(times, configure, points));
    },
  };
}

export const isPredictable = (found: PredictableRun | Unpredictable): found is PredictableRun =>
  'times' in found;
export const isPredicted = (found: WhatIf | Unpredictable): found is WhatIf => 'predicted' in found;

/** The level with the highest throughput: its load is asked where no other is given. */
export const usualLevel = ({ points }: PredictableRun): LoadPoint | null =>
  points.toSorted((one, other) => other.inferencesPerSecond - one.inferencesPerSecond)[0] ?? null;

function arrivalsOf({ rate, concurrency }: WhatIfAsk, level: LoadPoint | null): WhatIf['arrivals'] {
  if (rate !== undefined) return { kind: 'poisson', requestRate: rate };
  if (concurrency !== undefined) return { kind: 'closed', concurrency };
  return level === null ? { kind: 'closed', concurrency: 1 } : arrivalsOfLevel(level);
}

/** Of the measured range: beyond it nothing is extrapolated. */
const mostBeyond = 2;

/** "2 rows" */
export const counted = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** "executions of up to 8 rows on up to 2 busy instances" */
export const rangeText = ({ largestBatch, busyInstances }: MeasuredRange): string =>
  `executions of up to ${counted(largestBatch, 'row')} on up to ${counted(busyInstances, 'busy instance')}`;

/** Why an extrapolation would be a guess, a sentence; null: it is none. */
function tooFar(
  { isOutside, predictedMeanBatch }: Prediction,
  { instances }: PredictedServing,
  range: MeasuredRange,
): string | null {
  const isFar =
    (predictedMeanBatch ?? 0) > mostBeyond * range.largestBatch ||
    instances > mostBeyond * range.busyInstances;
  return isOutside && isFar
    ? `Not predicted: the run measured ${rangeText(range)}, and this is more than twice as many. Measure levels with more requests in flight, or with more instances.`
    : null;
}

/** Predicts the model of a run under another load or configuration, from what the run measured. Pure, some milliseconds. */
export function whatIf(state: RunState, ask: WhatIfAsk): WhatIf | Unpredictable {
  const run = predictableRun(state);
  if (!isPredictable(run)) return run;
  const { times, configure, check, range } = run;
  const level = usualLevel(run);
  const arrivals = arrivalsOf(ask, level);
  const batchSize = ask.batchSize ?? level?.batchSize ?? 1;
  const serving: PredictedServing = {
    ...servingOf(configure),
    instances: ask.instances ?? configure.instances,
    maxBatchSize: ask.maxBatchSize ?? configure.maxBatchSize,
    maxQueueDelayUs: ask.maxQueueDelayUs ?? configure.maxQueueDelayUs,
  };
  const of = (served: PredictedServing): Prediction =>
    predict({ ...times, serving: served, arrivals, batchSize, requestCount: simulatedRequests });
  const predicted = of(serving);
  const reason = tooFar(predicted, serving, range);
  if (reason !== null) return { reason };
  const isPresent =
    serving.instances === configure.instances &&
    serving.maxBatchSize === configure.maxBatchSize &&
    serving.maxQueueDelayUs === configure.maxQueueDelayUs;
  return {
    ...{ serving, arrivals, batchSize, check, range },
    predicted,
    present: isPresent ? null : of(servingOf(configure)),
  };
}
