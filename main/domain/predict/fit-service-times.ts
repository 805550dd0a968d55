import type { LoadPoint } from '../../contract/measured/results';
import { arrivalsOfLevel } from './arrivals';
import { fitOverhead } from './overhead';
import { type MeasuredTimes, predict, type PredictedServing, type ServiceTimePoint } from './predict';
import type { ServiceVariation } from './variation';

/** What it needs of a level. */
type FedPoint = Pick<
  LoadPoint,
  | 'batchSize'
  | 'concurrency'
  | 'requestRate'
  | 'requestDistribution'
  | 'burstiness'
  | 'replay'
  | 'stages'
  | 'inferencesPerSecond'
  | 'avgUs'
  | 'serverQueueUs'
  | 'serverComputeInputUs'
  | 'serverComputeInferUs'
  | 'serverComputeOutputUs'
  | 'requestCount'
  | 'meanServerBatch'
  | 'executedBatches'
  | 'histogram'
  | 'flags'
  | 'serverTimesFault'
  | 'composing'
  | 'cache'
>;

export interface FedLevel {
  readonly point: FedPoint;
  readonly serving: PredictedServing;
}

/** With fewer executions of a batch its mean is unreliable. */
const fewestExecutions = 5;
/** Values of one level at most, and requests of all calm levels at least: fewer say nothing of a tail. */
const mostVariation = 256;
const fewestVariation = 100;
/** Below this share of waiting, a level's latency shows how executions vary. */
const waitsBelow = 0.1;
/** Requests per execution of a level whose requests are not batched with others. */
const alone = 1.1;
/** Simulated per level and overhead that is tried. */
const fittedRequests = 500;
/** Of a queue without end where there was none, as a logarithm. */
const overloadMiss = 2;

interface Executions {
  readonly batch: number;
  readonly count: number;
  readonly computeUs: number;
}

/** By batch, as the server counted; else the mean of a level with one batch size. */
function executionsOf(point: FedPoint): readonly Executions[] {
  if (point.executedBatches !== undefined) {
    return point.executedBatches
      .filter(({ count }) => count >= fewestExecutions)
      .map(({ batchSize, ...rest }) => ({ ...rest, batch: batchSize }));
  }
  const { meanServerBatch, requestCount, batchSize } = point;
  const computeUs = computeUsOf(point);
  if (meanServerBatch === null || computeUs === null || requestCount === null) return [];
  if (Math.abs(meanServerBatch - batchSize) > 0.02 * batchSize) return [];
  return [{ batch: batchSize, count: requestCount, computeUs }];
}

/** Compute input, infer and output of a mean request, microseconds; null where the server does not tell them. */
export const computeUsOf = ({
  serverComputeInputUs,
  serverComputeInferUs,
  serverComputeOutputUs,
}: Pick<LoadPoint, 'serverComputeInputUs' | 'serverComputeInferUs' | 'serverComputeOutputUs'>):
  number | null =>
  serverComputeInferUs === null
    ? null
    : (serverComputeInputUs ?? 0) + serverComputeInferUs + (serverComputeOutputUs ?? 0);

/** Busy instances during an execution, by Little's law; at most the requests in flight. */
function busySeen({ point, serving: { instances } }: FedLevel, executions: readonly Executions[]): number {
  const most = Math.min(instances, point.requestRate === undefined ? point.concurrency : instances);
  const rows = executions.reduce((sum, { count, batch }) => sum + count * batch, 0);
  const workUs = executions.reduce((sum, { count, computeUs }) => sum + count * computeUs, 0);
  if (most <= 1 || rows === 0) return 1;
  const busy = Math.min(most, ((point.inferencesPerSecond / 1e6) * workUs) / rows);
  return Math.max(1, 1 + ((most - 1) * busy) / most);
}

const isFiniteLevel = ({
  batchSize,
  concurrency,
  requestRate,
  inferencesPerSecond,
  avgUs,
}: FedPoint): boolean =>
  [batchSize, concurrency, requestRate ?? 1, inferencesPerSecond, avgUs ?? 1].every(Number.isFinite);

const isUsable = ({ point }: FedLevel): boolean =>
  isFiniteLevel(point) &&
  !point.flags.some((flag) => ['errors', 'wrong-responses', 'server-restarted'].includes(flag)) &&
  point.serverTimesFault === undefined &&
  point.composing === undefined &&
  point.cache === undefined;

/** Time outside queue and execution, microseconds; null without server times. */
function overheadOf({ avgUs, serverQueueUs, ...point }: FedPoint): number | null {
  const computeUs = computeUsOf(point);
  if (avgUs === null || serverQueueUs === null || computeUs === null) return null;
  return Math.max(0, avgUs - serverQueueUs - computeUs);
}

const waitShare = ({ serverQueueUs, avgUs }: FedPoint): number => (serverQueueUs ?? Infinity) / (avgUs ?? 1);

/** Requests of a mean execution that are answered together. */
const answersAtOnce = ({ meanServerBatch, batchSize }: FedPoint): number =>
  Math.max(1, (meanServerBatch ?? batchSize) / batchSize);

/** Latencies as equally likely values, microseconds. */
function latenciesOf({ histogram }: FedPoint): readonly number[] {
  const total = histogram?.counts.reduce((sum, count) => sum + count, 0) ?? 0;
  if (histogram === undefined || total === 0) return [];
  const size = Math.min(mostVariation, total);
  const { counts, edgesUs } = histogram;
  const values: number[] = [];
  let before = 0;
  counts.forEach((count, index) => {
    const [from = 0, to = from] = edgesUs.slice(index, index + 2);
    while (values.length < size && ((values.length + 0.5) / size) * total <= before + count) {
      const share = (((values.length + 0.5) / size) * total - before) / count;
      values.push(from + (to - from) * share);
    }
    before += count;
  });
  return values;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** An execution is never faster than this share of the mean, whatever a latency says. */
const fastest = 0.2;

/** Executions relative to their mean: what latencies differ by is theirs, where nothing waits. */
function factorsOf(point: FedPoint): readonly number[] {
  const computeUs = computeUsOf(point);
  const values = latenciesOf(point);
  if (computeUs === null || computeUs <= 0 || values.length === 0) return [];
  const mean = meanOf(values);
  const factors = values.map((value) => Math.max(fastest, 1 + (value - mean) / computeUs));
  const meanFactor = meanOf(factors);
  return factors.map((factor) => factor / meanFactor);
}

/** Instances that a calm level keeps busy. */
const keptBusy = ({ point, serving: { instances } }: FedLevel): number =>
  Math.max(1, Math.min(instances, point.requestRate === undefined ? point.concurrency : 1));

/** By batch and busy instances; those with few requests only together. */
function variationsOf(calm: readonly FedLevel[]): readonly ServiceVariation[] {
  const found = new Map<string, ServiceVariation>();
  for (const level of calm) {
    const { point } = level;
    const batch = Math.round(point.meanServerBatch ?? point.batchSize);
    const busyInstances = keptBusy(level);
    const key = `${batch} ${busyInstances}`;
    const factors = [...(found.get(key)?.factors ?? []), ...factorsOf(point)];
    found.set(key, { batch, busyInstances, factors });
  }
  const all = [...found.values()];
  const enough = all.filter(({ factors }) => factors.length >= fewestVariation);
  if (enough.length > 0) return enough;
  const together = all.flatMap(({ factors }) => factors);
  return together.length < fewestVariation ? [] : [{ batch: 1, factors: together }];
}

/**
 * Input of a predictor from levels of one model on one machine: execution times by batch and busy instances, their
 * variation, and the overhead of a request. Ensembles, response caches, errors and levels without server times are
 * ignored. null: no usable level.
 */
export function fitServiceTimes(levels: readonly FedLevel[]): MeasuredTimes | null {
  const usable = levels.filter(isUsable);
  const fed = usable.map((level) => ({ level, executions: executionsOf(level.point) }));
  const merged = new Map<string, ServiceTimePoint & { readonly count: number }>();
  for (const { level, executions } of fed) {
    const busyInstances = Math.round(busySeen(level, executions) * 4) / 4;
    for (const { batch, count, computeUs } of executions) {
      const key = `${batch} ${busyInstances}`;
      const before = merged.get(key) ?? { batch, busyInstances, computeUs: 0, count: 0 };
      const all = before.count + count;
      const mean = (before.computeUs * before.count + computeUs * count) / all;
      merged.set(key, { batch, busyInstances, computeUs: mean, count: all });
    }
  }
  const serviceTimes = [...merged.values()]
    .map(({ batch, busyInstances, computeUs }) => ({ batch, busyInstances, computeUs }))
    .sort((a, b) => a.busyInstances - b.busyInstances || a.batch - b.batch);
  const overheads = usable.flatMap(({ point }) => {
    const overheadUs = overheadOf(point);
    const requestsPerSecond = point.inferencesPerSecond / point.batchSize;
    return overheadUs === null || requestsPerSecond === 0
      ? []
      : [
          {
            overheadUs,
            answersAtOnce: answersAtOnce(point),
            rowsAtOnce: answersAtOnce(point) * point.batchSize,
            requestsPerSecond,
          },
        ];
  });
  if (serviceTimes.length === 0 || overheads.length === 0) return null;
  const calm = usable.filter(({ point }) => waitShare(point) < waitsBelow && answersAtOnce(point) < alone);
  const serviceVariation = variationsOf(calm);
  const times = { serviceTimes, ...(serviceVariation.length === 0 ? {} : { serviceVariation }) };
  return {
    ...times,
    overhead: fitOverhead(overheads, (overhead, most) => missOf(usable, { ...times, overhead }, most)),
  };
}

/** Sum of squared logarithms of predicted and measured mean latency, of the first levels that reach `most`. */
function missOf(levels: readonly FedLevel[], times: MeasuredTimes, most: number): number {
  let sum = 0;
  for (const { point, serving } of levels) {
    if (point.avgUs === null || (point.replay ?? point.stages) !== undefined) continue;
    const { predictedLatency } = predict({
      ...{ ...times, serving, arrivals: arrivalsOfLevel(point) },
      ...{ batchSize: point.batchSize, requestCount: fittedRequests },
    });
    const miss = predictedLatency === null ? overloadMiss : Math.log(predictedLatency.avgUs / point.avgUs);
    sum += miss ** 2;
    if (sum >= most) break;
  }
  return sum;
}
