import { isThrottled } from '../../../contract/measured/detail-columns';
import type { Limit, LimitEvidence } from '../../../contract/measured/limits';
import type { LoadPoint } from '../../../contract/measured/results';
import { formatCount, formatFixed, formatShortShare, formatTyped } from '../../../contract/numbers';
import { largestOf, medianOf } from '../../statistics';
import type { LevelFacts } from './limit-facts';
import {
  fewerThreads,
  largerBatches,
  largerRequests,
  longerWarmup,
  moreConcurrency,
  moreInstances,
  otherLoadTool,
  otherTransport,
  reachableSizes,
  shorterDelay,
  type Suggestion,
  timeInPlaceOfSize,
  useBatching,
} from './limit-suggestions';
import { type ModelPart, modelParts } from './model-parts';

/** A limit with what could be done about it; null: a change that does not apply, or is predicted to be in vain. */
export interface FoundLimit extends Limit {
  /** Predicts what each would bring. */
  readonly suggestions: () => readonly (Suggestion | null)[];
}

/** Lighter limits are not told. */
export const leastWeight = 0.1;

const share = (title: string, value: number | null): readonly LimitEvidence[] =>
  value === null ? [] : [{ title, value, kind: 'share' }];
const time = (title: string, value: number | null): readonly LimitEvidence[] =>
  value === null ? [] : [{ title, value, kind: 'duration' }];
const number = (
  title: string,
  value: number | null | undefined,
  kind: 'rate' | 'count' = 'count',
): readonly LimitEvidence[] => (value === null || value === undefined ? [] : [{ title, value, kind }]);

function client(facts: LevelFacts): FoundLimit | null {
  const { point } = facts;
  if (!point.flags.includes('client-saturated')) return null;
  return {
    kind: 'client',
    weight: 1,
    sentence: 'The load generator limits this level: the server may be faster than measured.',
    evidence: [
      ...share('Time in which the load generator is busy', point.client?.loopShare ?? null),
      ...number('Cores that the load generator uses', point.client?.cpuShare, 'rate'),
      ...time('CPU time of the load generator per request', point.clientCpuUsPerRequest ?? null),
    ],
    suggestions: () => [largerRequests(facts), otherLoadTool(facts), ...otherTransport(facts)],
  };
}

/** How much slower the first window of a level was than the median of the later ones; 1: no slower, or not known. */
function coldFactor({ windows: [first, ...later] }: LoadPoint): number {
  if (first === undefined || later.length === 0) return 1;
  const factor = (of: (window: LoadPoint['windows'][number]) => number | null): number => {
    const [own, others] = [of(first), later.map(of).filter((value) => value !== null)];
    return own === null || others.length === 0 ? 1 : own / Math.max(1, medianOf(others));
  };
  // Single cold requests show in the tail first.
  return Math.max(
    factor(({ avgUs }) => avgUs),
    factor(({ p99Us }) => p99Us) / 2,
  );
}

/** A first window that is slower by this factor is not chance. */
const coldFrom = 1.5;

function coldRequests(facts: LevelFacts): FoundLimit | null {
  const { point, points } = facts;
  const factor = coldFactor(point);
  if (factor < coldFrom) return null;
  const cold = points.filter((one) => coldFactor(one) >= coldFrom);
  const [first] = point.windows;
  return {
    kind: 'cold-requests',
    weight: Math.min(1, 1.2 * (1 - 1 / factor)),
    sentence: `The first requests are cold: the first window is ${formatFixed(factor, 1)} times as slow as the later ones.`,
    evidence: [
      ...time('Mean latency of the first window', first?.avgUs ?? null),
      ...time('Median of the later windows', medianOf(point.windows.slice(1).map(({ avgUs }) => avgUs))),
      { title: 'Levels with a slow first window', value: cold.length, kind: 'count' },
      { title: 'Measured levels', value: points.length, kind: 'count' },
    ],
    suggestions: () => [longerWarmup(facts, first?.durationUs ?? 1e6)],
  };
}

/** Instances that are busy for less wait for batches, and not batches for them. */
const busyFrom = 0.8;

function batchFormation(facts: LevelFacts): FoundLimit | null {
  const { configure, queueShare, busyShare, budgetUs, avgUs, point } = facts;
  if (configure?.batching !== 'dynamic' || configure.maxQueueDelayUs === 0) return null;
  const { maxQueueDelayUs } = configure;
  const isOverBudget = budgetUs !== null && maxQueueDelayUs >= budgetUs;
  const isFormed = busyShare !== null && busyShare < busyFrom;
  if (!isOverBudget && !isFormed) return null;
  const formationUs = Math.min(point.serverQueueUs ?? 0, maxQueueDelayUs);
  const weight = isOverBudget && queueShare > leastWeight ? 1 : formationUs / avgUs;
  const beyond = isOverBudget ? `, which is the whole p99 budget of ${formatTyped(budgetUs / 1000)} ms` : '';
  return {
    kind: 'batch-formation',
    weight,
    sentence: `Batch formation limits this level: requests wait up to ${formatTyped(maxQueueDelayUs / 1000)} ms for a batch to fill${beyond}.`,
    evidence: [
      ...time('Server queue', point.serverQueueUs),
      ...share('Of the mean latency', queueShare),
      { title: 'Maximum queue delay', value: maxQueueDelayUs, kind: 'duration' },
      ...number('Mean executed batch size', point.meanServerBatch, 'rate'),
      ...share('Instances at work', busyShare),
    ],
    suggestions: () => [reachableSizes(facts), shorterDelay(facts)],
  };
}

/** Of the mean latency, in a queue beside idle instances. */
const stallShare = 0.5;

/** Its queue and execution are those of its models. */
const isEnsemble = ({ composing = [] }: LoadPoint): boolean =>
  composing.filter(({ bls }) => bls !== true).length > 1;

/**
 * A bounded queue whose requests wait beside idle instances, and longer than for a batch: Triton's batcher, from 2.44 on, is
 * woken by accepted requests alone and else looks for an idle instance every 500 ms.
 */
function queueStall(facts: LevelFacts): FoundLimit | null {
  const { queueShare, busyShare, point, configure, computeUs } = facts;
  const { batching, maxQueueSize = 0, maxQueueDelayUs = 0 } = configure ?? {};
  const waitUs = point.serverQueueUs ?? 0;
  const isIdle = busyShare !== null && busyShare < busyFrom;
  if (batching !== 'dynamic' || maxQueueSize === 0 || !isIdle) return null;
  if (queueShare < stallShare || waitUs <= maxQueueDelayUs + computeUs) return null;
  return {
    kind: 'queue-stall',
    weight: 1,
    sentence: `The limit of the queue limits this level: with at most ${formatCount(maxQueueSize)} waiting requests Triton leaves instances idle while requests wait.`,
    evidence: [
      ...time('Server queue', waitUs),
      ...share('Of the mean latency', queueShare),
      ...share('Instances at work', busyShare),
      ...number('Instances', configure?.instances),
      ...number('Maximum queue size', maxQueueSize),
    ],
    suggestions: () => [timeInPlaceOfSize(facts), moreInstances(facts)],
  };
}

function queue(facts: LevelFacts): FoundLimit | null {
  const { queueShare, busyShare, point, configure } = facts;
  if (point.serverQueueUs === null || isEnsemble(point) || queueStall(facts) !== null) return null;
  return {
    kind: 'queue',
    weight: queueShare,
    sentence: `The queue limits this level: requests wait ${formatShortShare(queueShare)} of the mean latency for a free instance.`,
    evidence: [
      ...time('Server queue', point.serverQueueUs),
      ...share('Of the mean latency', queueShare),
      ...share('Instances at work', busyShare),
      ...number('Instances', configure?.instances),
      ...number('Mean executed batch size', point.meanServerBatch, 'rate'),
      ...share(`${facts.deviceName} utilization`, facts.deviceShare),
    ],
    suggestions: () => [fewerThreads(facts), useBatching(facts), moreInstances(facts), largerBatches(facts)],
  };
}

function composingModel({ point, avgUs }: LevelFacts): FoundLimit | null {
  const parts = modelParts(point);
  const slowest = parts.reduce<ModelPart | null>(
    (most, part) => (most === null || part.us > most.us ? part : most),
    null,
  );
  if (slowest === null || slowest.us === 0 || (parts.length < 2 && !slowest.bls)) return null;
  const { modelName, queueUs, computeUs, instances, bls } = slowest;
  const served = instances === null ? '' : ` (it has ${instances})`;
  const advice =
    queueUs > computeUs
      ? `Serve more instances of ${modelName}${served}: its requests wait longer than they compute.`
      : `Speed up ${modelName}: more instances${served}, dynamic batching or a faster format of this model.`;
  return {
    kind: 'composing-model',
    weight: Math.min(1, slowest.us / avgUs),
    sentence: `The ${bls ? 'model' : 'composing model'} ${modelName}${bls ? ', called by BLS,' : ''} limits this level: it takes ${formatShortShare(Math.min(1, slowest.us / avgUs))} of the ${bls ? '' : 'ensemble’s '}mean latency.`,
    evidence: parts.flatMap((part) => [
      ...time(`${part.modelName}: queue`, part.queueUs),
      ...time(`${part.modelName}: compute`, part.computeUs),
    ]),
    suggestions: () => [{ text: advice, change: {}, predicted: null, predictedText: null }],
  };
}

/** To compute is what a model is there for: as a limit it counts only beside nothing heavier. */
const computeWeight = 0.6;

function compute(facts: LevelFacts): FoundLimit | null {
  const { computeShare, computeUs, point, cores, configure } = facts;
  if (isEnsemble(point)) return null;
  const threads = fewerThreads(facts);
  return {
    kind: 'compute',
    weight: (threads === null ? computeWeight : 1) * computeShare,
    sentence:
      threads === null
        ? `The model’s execution limits this level: it takes ${formatShortShare(computeShare)} of the mean latency.`
        : `The model’s execution limits this level: its instances have more threads than the machine has cores.`,
    evidence: [
      ...time('Compute input, infer and output', computeUs),
      ...share('Of the mean latency', computeShare),
      ...number('Mean executed batch size', point.meanServerBatch, 'rate'),
      ...number('Instances', configure?.instances),
      ...number('Threads per instance', configure?.threads === 0 ? null : configure?.threads),
      ...number('Logical cores', cores),
    ],
    suggestions: () => [threads, useBatching(facts), moreInstances(facts)],
  };
}

function transfer(facts: LevelFacts): FoundLimit | null {
  const { transferShare, transferUs, point } = facts;
  return {
    kind: 'transfer',
    weight: transferShare,
    sentence: `Transfer limits this level: client, network and payload take ${formatShortShare(transferShare)} of the mean latency.`,
    evidence: [
      ...time('Client send', point.clientSendUs),
      ...time('Network + server', point.networkServerSendRecvUs),
      ...time('Client receive', point.clientRecvUs),
      { title: 'Of the mean latency', value: transferShare, kind: 'share' },
      ...time('All of it', transferUs),
    ],
    suggestions: () => [...otherTransport(facts), moreConcurrency(facts)],
  };
}

function gpu(facts: LevelFacts): readonly FoundLimit[] {
  const { point, deviceShare } = facts;
  const throttled = (point.gpus ?? []).filter(isThrottled);
  const most = Math.max(0, largestOf(throttled.map(({ throttledShare = 0 }) => throttledShare)));
  return [
    ...(point.flags.includes('gpu-idle')
      ? [
          {
            kind: 'gpu-idle' as const,
            weight: 0.9,
            sentence:
              'The GPU is idle while Triton computes: the work is on the CPU, or kernels are selected again for each batch size.',
            evidence: share('GPU utilization', deviceShare),
            suggestions: () => [longerWarmup(facts, 2e6)],
          },
        ]
      : []),
    ...(throttled.length > 0
      ? [
          {
            kind: 'gpu-throttled' as const,
            weight: Math.min(1, most),
            sentence: `The GPU’s clocks are the limit: they are held down by ${[...new Set(throttled.flatMap(({ throttledBy = [] }) => throttledBy))].join(', ') || 'the driver'}.`,
            evidence: [
              ...share('Readings with throttled clocks', most),
              ...throttled.flatMap(({ smClockMHz }) => number('SM clock, MHz', smClockMHz)),
            ],
            suggestions: () => [],
          },
        ]
      : []),
  ];
}

/** What computes is busy for less: it could do more at the same time. */
const idleBelow = 0.7;
/** What a request takes besides, without a large payload or a slow network. */
const ordinaryTransferUs = 2000;

function tooLittleLoad(facts: LevelFacts): FoundLimit | null {
  const { deviceShare, busyShare, underWay, queueShare, configure, point, deviceName } = facts;
  const { transferUs, transferShare } = facts;
  const used = deviceShare ?? busyShare;
  const instances = configure?.instances ?? 1;
  if (used === null || used >= idleBelow || queueShare > leastWeight || underWay > 2 * instances) return null;
  const more = moreConcurrency(facts);
  if (more === null) return null;
  return {
    kind: 'too-little-load',
    weight: (1 - used / 2) * (transferUs > ordinaryTransferUs ? 1 - transferShare : 1),
    sentence: `The load limits this level: with ${underWay === 1 ? 'one request' : `${formatTyped(underWay)} requests`} in flight the ${deviceShare === null ? 'instances are' : `${deviceName} is`} busy for ${formatShortShare(used)} of the time.`,
    evidence: [
      { title: 'Concurrency', value: point.concurrency, kind: 'count' },
      ...share('Instances at work', busyShare),
      ...share(`${deviceName} utilization`, deviceShare),
      ...time('Server queue', point.serverQueueUs),
    ],
    suggestions: () => [more],
  };
}

/** Everything that limits a level, in no order. */
export const foundLimits = (facts: LevelFacts): readonly FoundLimit[] =>
  [
    client(facts),
    coldRequests(facts),
    batchFormation(facts),
    queue(facts),
    queueStall(facts),
    composingModel(facts),
    compute(facts),
    transfer(facts),
    ...gpu(facts),
    tooLittleLoad(facts),
  ].filter((one) => one !== null);
