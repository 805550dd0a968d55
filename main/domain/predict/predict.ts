import type { ConfigureSpec } from '../../contract/run/run-spec';
import { largestOf } from '../statistics';
import type { Arrivals } from './arrivals';
import type { BatcherRules } from './batcher';
import type { Overhead } from './overhead';
import { serviceTable, type ServiceTimePoint } from './service-times';
import { simulate, type Simulated } from './simulate';
import type { ServiceVariation } from './variation';

export type { Arrivals } from './arrivals';
export type { ServiceTimePoint } from './service-times';

/** Serving settings, named as in the specification. */
export type PredictedServing = Pick<
  ConfigureSpec,
  'maxBatchSize' | 'batching' | 'preferredBatchSizes' | 'maxQueueDelayUs' | 'instances'
> & {
  /** Shares of requests by priority, first served first, adding up to 1. Absent: no levels. */
  readonly priorityShares?: readonly number[] | undefined;
};

/** Measured times of a model on a machine; see `fitServiceTimes`. */
export interface MeasuredTimes {
  readonly serviceTimes: readonly ServiceTimePoint[];
  /** Absent: each execution takes the mean. */
  readonly serviceVariation?: readonly ServiceVariation[] | undefined;
  /** Client, network and server outside queue and execution. */
  readonly overhead: Overhead;
}

export interface PredictInput extends MeasuredTimes {
  readonly serving: PredictedServing;
  readonly arrivals: Arrivals;
  /** Rows per request (client batch); absent: 1. */
  readonly batchSize?: number | undefined;
  /** Simulated requests; absent: 20,000. Recorded arrivals are all simulated. */
  readonly requestCount?: number | undefined;
  readonly seed?: number | undefined;
}

/** From send to answer, microseconds. */
export interface PredictedLatency {
  readonly avgUs: number;
  readonly p50Us: number;
  readonly p90Us: number;
  readonly p95Us: number;
  readonly p99Us: number;
}

export interface Prediction {
  /** Rows of answered requests per second; of an overloaded model its capacity. */
  readonly predictedInferencesPerSecond: number;
  /** null: the queue grows without bound. */
  readonly predictedLatency: PredictedLatency | null;
  /** Mean wait for an execution, microseconds; null like the latency. */
  readonly predictedQueueUs: number | null;
  readonly predictedMeanBatch: number | null;
  /** Mean share of busy instances, 0 to 1. */
  readonly predictedBusyShare: number;
  readonly isOverloaded: boolean;
  /** Batches or busy instances occurred without measured times: the figures are extrapolated. */
  readonly isOutside: boolean;
}

const usualRequestCount = 20_000;
const usualSeed = 1;
/** Left out at the start, while queue and instances fill. */
const warmupShare = 0.1;
/** Share of an open load's requests still waiting at its end that means overload. */
const overloadedShare = 0.01;

/** Nearest rank, like the load generator's percentiles. */
const percentileOf = (sorted: Float64Array, percent: number): number =>
  sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? NaN;

const meanOf = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function latencyOf(responseUs: Float64Array): PredictedLatency {
  const sorted = responseUs.toSorted();
  return {
    avgUs: meanOf(sorted),
    p50Us: percentileOf(sorted, 50),
    p90Us: percentileOf(sorted, 90),
    p95Us: percentileOf(sorted, 95),
    p99Us: percentileOf(sorted, 99),
  };
}

/** A queue that fits into one execution is not a backlog. */
function isOverloaded({ waitingAtEnd }: Simulated, sent: number, inFlight: number): boolean {
  return waitingAtEnd > Math.max(overloadedShare * sent, 4 * inFlight);
}

/** @returns number of requests, and rows of the largest. Throws a RangeError without any */
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
 * Predicts a model under load by simulating Triton's batcher and instances with measured execution times. Seeded; 200,000
 * requests take a fraction of a second. Throws a RangeError without service times or requests.
 */
export function predict(input: PredictInput): Prediction {
  const { serving, arrivals, serviceTimes, overhead } = input;
  const sent = sentOf(input);
  const rules = rulesOf(serving, sent.largest);
  const simulated = simulate({
    rules,
    table: serviceTable(serviceTimes, rules.maxBatchSize, rules.instances),
    variation: input.serviceVariation ?? [],
    overhead,
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
    predictedInferencesPerSecond:
      'requestRate' in arrivals && !overloaded
        ? arrivals.requestRate * (input.batchSize ?? 1)
        : perSpan(1e6 * answeredRows),
    predictedLatency: overloaded ? null : latencyOf(responseUs),
    predictedQueueUs: overloaded ? null : meanOf(queueUs),
    predictedMeanBatch: executions === 0 ? null : executedRows / executions,
    predictedBusyShare: Math.min(1, perSpan(busyUs / rules.instances)),
    isOverloaded: overloaded,
    isOutside: simulated.isOutside,
  };
}
