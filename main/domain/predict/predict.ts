import type { ConfigureSpec } from '../../contract/run/run-spec';
import { largestOf } from '../statistics';
import type { Arrivals } from './arrivals';
import type { BatcherRules } from './batcher';
import { serviceTable, type ServiceTimePoint } from './service-times';
import { simulate, type Simulated } from './simulate';

export type { Arrivals } from './arrivals';
export type { ServiceTimePoint } from './service-times';

/** How the model is served: names and meaning of the specification. */
export type PredictedServing = Pick<
  ConfigureSpec,
  'maxBatchSize' | 'batching' | 'preferredBatchSizes' | 'maxQueueDelayUs' | 'instances'
> & {
  /** Share of the requests by priority, the first served first; they add up to 1. Absent: the model has no levels. */
  readonly priorityShares?: readonly number[] | undefined;
};

/** Times that were measured of a model on a machine; see `fitServiceTimes`. */
export interface MeasuredTimes {
  readonly serviceTimes: readonly ServiceTimePoint[];
  /** Times of single executions divided by their mean, in any order; absent: every execution takes its mean. */
  readonly serviceVariation?: readonly number[] | undefined;
  /** What client, network and server add to a request outside of queue and execution, microseconds. */
  readonly overheadUs: number;
}

export interface PredictInput extends MeasuredTimes {
  readonly serving: PredictedServing;
  readonly arrivals: Arrivals;
  /** Rows of each request (client batch); absent: 1. */
  readonly batchSize?: number | undefined;
  /** Requests that are simulated; absent: 20,000. Recorded arrivals are all simulated. */
  readonly requestCount?: number | undefined;
  readonly seed?: number | undefined;
}

/** From the send of a request to its answer, microseconds. */
export interface PredictedLatency {
  readonly avgUs: number;
  readonly p50Us: number;
  readonly p90Us: number;
  readonly p95Us: number;
  readonly p99Us: number;
}

export interface Prediction {
  /** Rows of answered requests per second; of an overloaded model what it can do. */
  readonly predictedInferencesPerSecond: number;
  /** null: the queue grows for as long as requests come, so no latency holds. */
  readonly predictedLatency: PredictedLatency | null;
  /** Mean wait for an execution, microseconds; null as for the latency. */
  readonly predictedQueueUs: number | null;
  /** Rows per execution. */
  readonly predictedMeanBatch: number | null;
  /** Mean share of the instances at work, 0 to 1. */
  readonly predictedBusyShare: number;
  /** Requests come faster than they are answered. */
  readonly isOverloaded: boolean;
  /** Batches or busy instances occurred that no time was measured of: the figures rest on a guess. */
  readonly isOutside: boolean;
}

const usualRequestCount = 20_000;
const usualSeed = 1;
/** Left out at the start, while queue and instances fill. */
const warmupShare = 0.1;
/** An open load that leaves more of its requests waiting at its end than this share is more than the model can take. */
const overloadedShare = 0.01;

/** Nearest rank, as the load generator's percentiles. */
const percentileOf = (sorted: Float64Array, percent: number): number =>
  sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? NaN;

const meanOf = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function latencyOf(responseUs: Float64Array, overheadUs: number): PredictedLatency {
  const sorted = responseUs.map((us) => us + overheadUs).sort();
  return {
    avgUs: meanOf(sorted),
    p50Us: percentileOf(sorted, 50),
    p90Us: percentileOf(sorted, 90),
    p95Us: percentileOf(sorted, 95),
    p99Us: percentileOf(sorted, 99),
  };
}

/** An execution that every request of a full queue fits into is no backlog. */
function isOverloaded({ waitingAtEnd }: Simulated, sent: number, inFlight: number): boolean {
  return waitingAtEnd > Math.max(overloadedShare * sent, 4 * inFlight);
}

/** A load that nothing comes of is refused. @returns requests, and rows of the largest one. */
function sentOf({ arrivals, batchSize = 1, requestCount = usualRequestCount }: PredictInput) {
  const isRecorded = arrivals.kind === 'recorded';
  const count = isRecorded ? arrivals.timesUs.length : requestCount;
  if (count < 1 || (arrivals.kind === 'closed' && arrivals.concurrency < 1)) {
    throw new RangeError('No request is sent');
  }
  const sizes = isRecorded ? (arrivals.rows ?? [batchSize]) : [batchSize];
  return { count, largest: largestOf(sizes), warmupCount: isRecorded ? 0 : Math.floor(warmupShare * count) };
}

function rulesOf(serving: PredictedServing, largestRequest: number): BatcherRules {
  const isDynamic = serving.batching === 'dynamic' && serving.maxBatchSize > 0;
  return {
    isDynamic,
    maxBatchSize: Math.max(isDynamic ? serving.maxBatchSize : 1, largestRequest),
    preferredBatchSizes: serving.preferredBatchSizes,
    maxQueueDelayUs: serving.maxQueueDelayUs,
    instances: serving.instances,
    priorityLevels: serving.priorityShares?.length ?? 0,
  };
}

/**
 * What a model does under a load, by simulating Triton's batcher and instances with measured execution times. Nothing of it
 * is measured: show it as predicted. Pure and seeded; 200,000 requests take a fraction of a second. Throws a RangeError
 * without service times, and where no request is sent.
 */
export function predict(input: PredictInput): Prediction {
  const { serving, arrivals, serviceTimes, overheadUs } = input;
  const sent = sentOf(input);
  const rules = rulesOf(serving, sent.largest);
  const simulated = simulate({
    rules,
    table: serviceTable(serviceTimes, rules.maxBatchSize, rules.instances),
    variation: input.serviceVariation ?? [],
    overheadUs,
    arrivals,
    rowsPerRequest: input.batchSize ?? 1,
    priorityShares: serving.priorityShares ?? [],
    requestCount: sent.count,
    warmupCount: sent.warmupCount,
    seed: input.seed ?? usualSeed,
  });
  const { responseUs, queueUs, answeredRows, executedRows, executions, spanUs, busyUs } = simulated;
  const overloaded =
    arrivals.kind !== 'closed' && isOverloaded(simulated, sent.count, rules.instances * rules.maxBatchSize);
  const perSpan = (value: number): number => (spanUs > 0 ? value / spanUs : 0);
  return {
    predictedInferencesPerSecond: perSpan(1e6 * answeredRows),
    predictedLatency: overloaded ? null : latencyOf(responseUs, overheadUs),
    predictedQueueUs: overloaded ? null : meanOf(queueUs),
    predictedMeanBatch: executions === 0 ? null : executedRows / executions,
    predictedBusyShare: Math.min(1, perSpan(busyUs / rules.instances)),
    isOverloaded: overloaded,
    isOutside: simulated.isOutside,
  };
}
