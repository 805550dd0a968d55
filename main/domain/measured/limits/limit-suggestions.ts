import type { PredictedEffect } from '../../../contract/measured/limits';
import { formatCount, formatFixed, formatMs, formatTyped } from '../../../contract/numbers';
import type { ConfigureSpec, PerformanceSpec } from '../../../contract/run/run-spec';
import { arrivalsOfLevel } from '../../predict/arrivals';
import { predict, type Prediction } from '../../predict/predict';
import { largestMeasuredBatch, type LevelFacts } from './limit-facts';

/** What a specification would have otherwise, field by field. */
export interface SuggestedChange {
  readonly configure?: Partial<ConfigureSpec>;
  readonly performance?: Partial<PerformanceSpec>;
}

export interface Suggestion {
  /** A sentence. */
  readonly text: string;
  readonly change: SuggestedChange;
  /** null: the run has no execution times to predict it from. Nothing of it is measured. */
  readonly predicted: PredictedEffect | null;
  /** A sentence; null without a prediction. */
  readonly predictedText: string | null;
}

/** It can be measured beside the run as it is: no change of another model, nor of how long is measured. */
export function isTryable({ change }: Suggestion): boolean {
  const { configure = {}, performance = {} } = change;
  const fields = [...Object.keys(configure), ...Object.keys(performance)];
  return fields.length > 0 && !('warmupMs' in performance);
}

/** A prediction that misses what was measured by more than this says nothing about a change of it. */
const mostMiss = 0.3;
/** Smaller effects are not told apart from the predictor's error. */
const leastEffect = 0.05;
const simulatedRequests = 5000;

/** What is predicted for a level as it was served, which every suggestion is held against. */
const predictedNow = new WeakMap<LevelFacts, Prediction | null>();

type Served = Pick<LevelFacts, 'point' | 'times'> & { readonly configure: ConfigureSpec };

function predicted({ point, times: timesOf, configure }: Served, change: SuggestedChange): Prediction | null {
  const times = timesOf();
  if (times === null) return null;
  const { performance = {} } = change;
  const concurrency = performance.concurrency?.at(-1) ?? point.concurrency;
  return predict({
    ...times,
    serving: { ...configure, ...change.configure },
    arrivals: arrivalsOfLevel({ ...point, concurrency }),
    batchSize: performance.onlineBatchSize ?? point.batchSize,
    requestCount: simulatedRequests,
  });
}

/** null where it cannot be fed, where it rests on a guess, and where it does not find what was measured. */
function effectOf(facts: LevelFacts, change: SuggestedChange): PredictedEffect | null {
  const { configure, point } = facts;
  if (configure === null || Object.keys(change).length === 0) return null;
  const served = { ...facts, configure };
  const now = predictedNow.has(facts) ? predictedNow.get(facts) : predicted(served, {});
  predictedNow.set(facts, now ?? null);
  if (now === null || now === undefined) return null;
  const miss = now.predictedInferencesPerSecond / point.inferencesPerSecond;
  if (now.isOutside || Math.abs(miss - 1) > mostMiss) return null;
  const then = predicted(served, change);
  if (then === null || then.isOutside) return null;
  const [before, after] = [now.predictedLatency, then.predictedLatency];
  return {
    predictedThroughputRatio: then.predictedInferencesPerSecond / now.predictedInferencesPerSecond,
    predictedP99Ratio: before === null || after === null ? null : after.p99Us / before.p99Us,
  };
}

const signed = (ratio: number): string => {
  const percent = Math.round(100 * (ratio - 1));
  return `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${formatCount(Math.abs(percent))} %`;
};

const effectText = ({
  predictedThroughputRatio: throughput,
  predictedP99Ratio: p99,
}: PredictedEffect): string =>
  `Predicted: throughput ${throughput >= 2 ? `× ${formatFixed(throughput, 1)}` : signed(throughput)}${
    p99 === null ? '' : `, p99 ${signed(p99)}`
  }.`;

/** It is predicted to change nothing for the better. */
const isInVain = (effect: PredictedEffect | null): boolean =>
  effect !== null &&
  effect.predictedThroughputRatio < 1 + leastEffect &&
  (effect.predictedP99Ratio ?? 1) > 1 - leastEffect;

/** A change with its predicted effect; null for one that is predicted to be in vain. */
export function suggestion(facts: LevelFacts, text: string, change: SuggestedChange): Suggestion | null {
  const effect = effectOf(facts, change);
  if (isInVain(effect)) return null;
  return { text, change, predicted: effect, predictedText: effect === null ? null : effectText(effect) };
}

/** One that the predictor knows nothing about: it changes what surrounds queue and executions. */
export const unpredicted = (text: string, change: SuggestedChange): Suggestion => ({
  text,
  change,
  predicted: null,
  predictedText: null,
});

const usualBatches = [2, 4, 8, 16, 32, 64, 128] as const;

/** A maximum batch that as many connections can fill, of those that were measured where any was. */
function worthwhileBatch(facts: LevelFacts): number {
  const { underWay, point, configure } = facts;
  const most = Math.max(largestMeasuredBatch(facts), configure?.maxBatchSize ?? 1, 8);
  const rows = underWay * point.batchSize;
  return usualBatches.findLast((size) => size <= Math.min(most, Math.max(2, rows))) ?? 2;
}

export function useBatching(facts: LevelFacts): Suggestion | null {
  const { configure } = facts;
  if (configure === null || configure.batching === 'dynamic') return null;
  const maxBatchSize = Math.max(configure.maxBatchSize, worthwhileBatch(facts));
  const batch =
    maxBatchSize === configure.maxBatchSize ? '' : ` with a maximum batch size of ${maxBatchSize}`;
  return suggestion(
    facts,
    `Use dynamic batching${batch} (now ${configure.batching === 'static' ? 'only batches that clients send' : 'disabled'}).`,
    {
      configure: { batching: 'dynamic', maxBatchSize, preferredBatchSizes: [], maxQueueDelayUs: 0 },
    },
  );
}

export function largerBatches(facts: LevelFacts): Suggestion | null {
  const { configure, point, underWay } = facts;
  if (configure?.batching !== 'dynamic' || (point.meanServerBatch ?? 0) < 0.8 * configure.maxBatchSize)
    return null;
  const maxBatchSize = 2 * configure.maxBatchSize;
  if (underWay * point.batchSize <= configure.maxBatchSize) return null;
  return suggestion(
    facts,
    `Raise the maximum batch size to ${formatCount(maxBatchSize)} (now ${formatCount(configure.maxBatchSize)}).`,
    {
      configure: { maxBatchSize },
    },
  );
}

/** As many as the cores have room for; on a GPU one more. */
export function moreInstances(facts: LevelFacts): Suggestion | null {
  const { configure, cores, deviceShare } = facts;
  if (configure === null || (deviceShare ?? 0) > 0.85) return null;
  const { instances, threads } = configure;
  const room = cores === null ? instances + 1 : Math.floor(cores / Math.max(1, threads));
  if (room <= instances || (cores !== null && threads === 0 && deviceShare === null)) return null;
  return suggestion(facts, `Serve ${formatCount(room)} instances (now ${formatCount(instances)}).`, {
    configure: { instances: room },
  });
}

export function shorterDelay(facts: LevelFacts): Suggestion | null {
  const { configure } = facts;
  if (configure === null || configure.maxQueueDelayUs === 0) return null;
  return suggestion(
    facts,
    `Set the maximum queue delay to 0 µs (now ${formatTyped(configure.maxQueueDelayUs)} µs).`,
    {
      configure: { maxQueueDelayUs: 0 },
    },
  );
}

/** Sizes that no batch can reach hold each request for the whole delay. */
export function reachableSizes(facts: LevelFacts): Suggestion | null {
  const { configure, underWay, point } = facts;
  if (configure?.batching !== 'dynamic') return null;
  const { preferredBatchSizes: sizes, maxBatchSize } = configure;
  const most = Math.min(maxBatchSize, underWay * point.batchSize);
  if (sizes.length === 0 || sizes.some((size) => size <= most)) return null;
  return suggestion(
    facts,
    `Remove the preferred batch sizes (now ${sizes.join(', ')}): no batch has more than ${formatCount(most)} rows.`,
    {
      configure: { preferredBatchSizes: [], maxQueueDelayUs: 0 },
    },
  );
}

export function fewerThreads(facts: LevelFacts): Suggestion | null {
  const { configure, cores } = facts;
  if (configure === null || cores === null) return null;
  const { instances, threads } = configure;
  const asked = instances * (threads === 0 ? cores : threads);
  const fitting = Math.max(1, Math.floor(cores / instances));
  if (asked <= cores || fitting === threads) return null;
  const now = threads === 0 ? 'the runtime’s choice' : formatCount(threads);
  return unpredicted(
    `Use ${formatCount(fitting)} ${fitting === 1 ? 'thread' : 'threads'} per instance (now ${now}): ${formatCount(instances)} instances ask for ${formatCount(asked)} threads on ${formatCount(cores)} cores.`,
    {
      configure: { threads: fitting },
    },
  );
}

/** The time in which a full queue would be worked off; nothing predicts what Triton's batcher does with a full one. */
export function timeInPlaceOfSize({ configure, computeUs, point }: LevelFacts): Suggestion | null {
  const { maxQueueSize = 0, instances = 1, queueTimeoutUs: now = 0 } = configure ?? {};
  if (maxQueueSize === 0 || computeUs === 0) return null;
  const perRequestUs = (computeUs * point.batchSize) / Math.max(1, point.meanServerBatch ?? 1) / instances;
  const queueTimeoutUs = now > 0 ? now : 1000 * Math.max(1, Math.ceil((maxQueueSize * perRequestUs) / 1000));
  return unpredicted(
    `Limit the time in the queue to ${formatMs(queueTimeoutUs)} ms and not the number of waiting requests (now ${formatCount(maxQueueSize)}).`,
    { configure: { maxQueueSize: 0, queueTimeoutUs, queueTimeoutAction: 'reject' } },
  );
}

export const otherTransport = ({ point, performance, cores }: LevelFacts): readonly (Suggestion | null)[] => [
  point.protocol === 'http'
    ? unpredicted('Send requests over gRPC (now HTTP).', { performance: { protocol: 'grpc' } })
    : null,
  // The machine that serves is this one.
  point.sharedMemory === undefined && performance.sharedMemory === 'none' && cores !== null
    ? unpredicted('Pass tensors in system shared memory (now over the wire).', {
        performance: { sharedMemory: 'system' },
      })
    : null,
];

export function largerRequests({ point, configure }: LevelFacts): Suggestion | null {
  const onlineBatchSize = 4 * point.batchSize;
  if (configure !== null && configure.maxBatchSize < onlineBatchSize) return null;
  return unpredicted(
    `Send ${formatCount(onlineBatchSize)} rows per request (now ${formatCount(point.batchSize)}).`,
    {
      performance: { onlineBatchSize },
    },
  );
}

export const otherLoadTool = ({ point }: LevelFacts): Suggestion | null =>
  point.loadTool === 'native'
    ? unpredicted('Measure with perf_analyzer, which sends from several threads.', {
        performance: { loadTool: 'perf_analyzer' },
      })
    : null;

/** Only where no level with more was measured. */
export function moreConcurrency(facts: LevelFacts): Suggestion | null {
  const { point, points, configure } = facts;
  const isMost = points.every(
    (other) => other.requestRate !== undefined || other.concurrency <= point.concurrency,
  );
  if (point.requestRate !== undefined || !isMost) return null;
  const most = Math.max(4, 2 * (configure?.instances ?? 1)) * point.concurrency;
  return suggestion(
    facts,
    `Measure at concurrency ${formatCount(most)} (now ${formatCount(point.concurrency)}).`,
    {
      performance: { concurrency: [most], onlineBatchSize: point.batchSize },
    },
  );
}

export const longerWarmup = ({ performance }: LevelFacts, neededUs: number): Suggestion => {
  const warmupMs = Math.max(2 * performance.warmupMs, Math.ceil(neededUs / 1e6) * 2000);
  return unpredicted(
    `Warm up for ${formatMs(1000 * warmupMs)} ms before each level (now ${formatMs(1000 * performance.warmupMs)} ms), and let Triton warm the model up at load (--warmup random).`,
    {
      performance: { warmupMs, warmupRequestCount: 0 },
    },
  );
};
