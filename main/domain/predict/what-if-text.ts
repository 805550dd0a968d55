import {
  formatCount,
  formatMeasured,
  formatMs,
  formatRate,
  formatShortShare,
  formatTyped,
} from '../../contract/numbers';
import type { Prediction } from './predict';
import {
  counted,
  isPredicted,
  type PredictorCheck,
  rangeText,
  type Unpredictable,
  type WhatIf,
  type WhatIfAsk,
  whatIfFields,
} from './what-if';

export type WhatIfField = (typeof whatIfFields)[number];

const limits: Readonly<Record<WhatIfField, readonly [least: number, most: number]>> = {
  rate: [0.01, 1e6],
  concurrency: [1, 4096],
  instances: [1, 64],
  maxBatchSize: [0, 1024],
  maxQueueDelayUs: [0, 10_000_000],
  batchSize: [1, 1024],
};

/** What cannot be asked, a sentence without its full stop; null: all can. */
export function whatIfProblem(
  ask: WhatIfAsk,
): { readonly field: WhatIfField; readonly message: string; readonly remedy: string } | null {
  for (const field of whatIfFields) {
    const value = ask[field];
    if (value === undefined) continue;
    const [least, most] = limits[field];
    const isWhole = field === 'rate' || Number.isInteger(value);
    if (Number.isFinite(value) && value >= least && value <= most && isWhole) continue;
    const kind = field === 'rate' ? 'a number' : 'a whole number';
    return {
      field,
      message: `${formatTyped(value)} is not ${kind} from ${formatTyped(least)} to ${formatTyped(most)}`,
      remedy: 'Give another value, or leave it out.',
    };
  }
  if (ask.rate !== undefined && ask.concurrency !== undefined) {
    return {
      field: 'concurrency',
      message: 'A load has either a rate or a concurrency',
      remedy: 'Give one of them.',
    };
  }
  return null;
}

const distribution = {
  poisson: 'with Poisson arrivals',
  gamma: 'at gamma intervals',
  constant: 'at constant intervals',
} as const;

function loadText({ arrivals, batchSize }: WhatIf): string {
  const rows = batchSize === 1 ? '' : `, ${formatCount(batchSize)} rows each`;
  return arrivals.kind === 'closed'
    ? `concurrency ${formatCount(arrivals.concurrency)}${rows}`
    : `${formatTyped(arrivals.requestRate)} requests/s ${distribution[arrivals.kind]}${rows}`;
}

function servingText({ serving }: WhatIf): string {
  const { instances, batching, maxBatchSize, maxQueueDelayUs } = serving;
  const batches =
    batching === 'dynamic'
      ? `batches of up to ${formatCount(maxBatchSize)} and a queue delay of ${formatTyped(maxQueueDelayUs)} µs`
      : 'no dynamic batching';
  return `${counted(instances, 'instance')} with ${batches}`;
}

/** "500 inferences/s, p99 12.30 ms" */
function figuresText({ predictedInferencesPerSecond, predictedLatency }: Prediction): string {
  const rate = `${formatRate(predictedInferencesPerSecond)} inferences/s`;
  return predictedLatency === null
    ? `at most ${rate}; the queue grows without end`
    : `${rate}, p99 ${formatMs(predictedLatency.p99Us)} ms`;
}

/** The answer in a sentence, or why there is none. */
export const whatIfText = (found: WhatIf | Unpredictable): string =>
  isPredicted(found)
    ? `Predicted, not measured: ${loadText(found)} on ${servingText(found)}: ${figuresText(found.predicted)}.`
    : found.reason;

/** Above it a prediction is not to be relied on. */
const mostError = 0.3;

function checkText({ levels, throughput, p99 }: PredictorCheck): string {
  const tail = p99 === null ? '' : ` and ${formatShortShare(p99)} in p99`;
  const of = levels === 1 ? 'the level' : `the ${formatCount(levels)} levels`;
  const error = `For ${of} that the run measured, the prediction is off by ${formatShortShare(throughput)} in throughput${tail} (median)`;
  return Math.max(throughput, p99 ?? 0) > mostError ? `${error}: do not rely on it.` : `${error}.`;
}

/** What limits the answer, whole sentences. */
export function whatIfNotes({ predicted, range, check }: WhatIf): readonly string[] {
  return [
    ...(predicted.isOutside
      ? [
          `Outside the range that the run measured (${rangeText(range)}): the times beyond it are extrapolated.`,
        ]
      : []),
    checkText(check),
  ];
}

/** The record behind the answer, as names and values; all predicted. */
export function whatIfFacts({ predicted, present }: WhatIf): readonly (readonly [string, string])[] {
  const { predictedLatency: latency, predictedQueueUs, predictedMeanBatch, predictedBusyShare } = predicted;
  return [
    ...(latency === null
      ? []
      : [
          [
            'Predicted latency (ms)',
            `p50 ${formatMs(latency.p50Us)}, p90 ${formatMs(latency.p90Us)}, p95 ${formatMs(latency.p95Us)}, p99 ${formatMs(latency.p99Us)}`,
          ] as const,
        ]),
    ...(predictedQueueUs === null
      ? []
      : [['Predicted wait in the queue (ms)', formatMs(predictedQueueUs)] as const]),
    ['Predicted rows per execution', formatMeasured(predictedMeanBatch)],
    ['Predicted share of busy instances', formatShortShare(predictedBusyShare)],
    ...(present === null ? [] : [['Predicted for the present configuration', figuresText(present)] as const]),
  ];
}

export const whatIfLines = (found: WhatIf | Unpredictable): readonly string[] =>
  isPredicted(found)
    ? [
        whatIfText(found),
        ...whatIfNotes(found),
        '',
        ...whatIfFacts(found).map(([name, value]) => `${name}: ${value}`),
      ]
    : [found.reason];
