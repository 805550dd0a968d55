import type { LoadPoint, ResponseCache } from '../contract/measured/results';
import { roundUs } from '../contract/numbers';
import type { DurationStatistic, ModelStatistics } from '../triton/statistics';

const fields = [
  'success',
  'queue',
  'computeInput',
  'computeInfer',
  'computeOutput',
  'cacheHit',
  'cacheMiss',
] as const;
type Field = (typeof fields)[number];

/** Counters between two moments, in ns and counts as in Triton. */
export interface ServerDelta extends Readonly<Record<Field, DurationStatistic>> {
  readonly inferenceCount: number;
  readonly executionCount: number;
  /** The model version that executed. */
  readonly version: string;
  /** Implausible times: a 64-bit sum overflowed. */
  readonly outOfRange?: boolean;
  /** Executions by batch, and their whole time; absent where the server tells none. */
  readonly batches?: readonly BatchDelta[];
}

interface BatchDelta {
  readonly batchSize: number;
  readonly executions: DurationStatistic;
}

/** 2^63 ns are 292 years, beyond any real sum. */
const mostSumNs = 2 ** 63;
/** Maximum plausible mean: one hour. */
const mostMeanNs = 3.6e12;

/** Overflowed sums restart at 0 or are near the limit (server#1985); after a restart counts decrease too. */
function isOutOfRange(from: DurationStatistic, to: DurationStatistic): boolean {
  const count = to.count - from.count;
  return (
    Math.max(from.ns, to.ns) >= mostSumNs || (count > 0 && Math.abs(to.ns - from.ns) > mostMeanNs * count)
  );
}

const byField = (valueOf: (field: Field) => DurationStatistic) =>
  Object.fromEntries(fields.map((field) => [field, valueOf(field)])) as Record<Field, DurationStatistic>;

/** The version whose queue count rose most. */
function busiest(before: readonly ModelStatistics[], after: readonly ModelStatistics[]) {
  let best: { readonly from: ModelStatistics; readonly to: ModelStatistics; readonly rise: number } | null =
    null;
  for (const to of after) {
    const from = before.find((entry) => entry.version === to.version);
    if (from === undefined) continue;
    const rise = Math.abs(to.queue.count - from.queue.count);
    if (best === null || rise > best.rise) best = { from, to, rise };
  }
  return best;
}

/** Each batch's executions since the first moment, with input, infer and output in one. */
function batchDeltas(from: ModelStatistics, to: ModelStatistics): readonly BatchDelta[] {
  const sums = ({ batches }: ModelStatistics) =>
    new Map(
      batches.map(({ batchSize, computeInput, computeInfer, computeOutput }) => [
        batchSize,
        { count: computeInfer.count, ns: computeInput.ns + computeInfer.ns + computeOutput.ns },
      ]),
    );
  const before = sums(from);
  return [...sums(to)].flatMap(([batchSize, { count, ns }]) => {
    const start = before.get(batchSize) ?? { count: 0, ns: 0 };
    const executions = { count: count - start.count, ns: ns - start.ns };
    return executions.count > 0 && executions.ns > 0 ? [{ batchSize, executions }] : [];
  });
}

function mergeBatches(deltas: readonly ServerDelta[]): readonly BatchDelta[] {
  const merged = new Map<number, DurationStatistic>();
  for (const { batchSize, executions } of deltas.flatMap(({ batches }) => batches ?? [])) {
    const { count, ns } = merged.get(batchSize) ?? { count: 0, ns: 0 };
    merged.set(batchSize, { count: count + executions.count, ns: ns + executions.ns });
  }
  return [...merged]
    .map(([batchSize, executions]) => ({ batchSize, executions }))
    .sort((a, b) => a.batchSize - b.batchSize);
}

/** null if counters decreased (restart or reload), or the model is missing. */
export function serverDelta(
  before: readonly ModelStatistics[],
  after: readonly ModelStatistics[],
): ServerDelta | null {
  const pair = busiest(before, after);
  if (pair === null) return null;
  const { from, to } = pair;
  const delta: ServerDelta = {
    ...byField((field) => ({
      count: to[field].count - from[field].count,
      ns: to[field].ns - from[field].ns,
    })),
    inferenceCount: to.inferenceCount - from.inferenceCount,
    executionCount: to.executionCount - from.executionCount,
    version: to.version,
    outOfRange: fields.some((field) => isOutOfRange(from[field], to[field])),
    batches: batchDeltas(from, to),
  };
  const wentBack = fields.some(
    (field) => delta[field].count < 0 || (delta[field].ns < 0 && delta.outOfRange === false),
  );
  return wentBack || delta.inferenceCount < 0 || delta.executionCount < 0 ? null : delta;
}

/** Sums over windows. */
export function mergeDeltas(deltas: readonly ServerDelta[]): ServerDelta {
  const sum = (valueOf: (delta: ServerDelta) => number) =>
    deltas.reduce((total, delta) => total + valueOf(delta), 0);
  return {
    ...byField((field) => ({
      count: sum((delta) => delta[field].count),
      ns: sum((delta) => delta[field].ns),
    })),
    inferenceCount: sum((delta) => delta.inferenceCount),
    executionCount: sum((delta) => delta.executionCount),
    version: deltas[0]?.version ?? '',
    outOfRange: deltas.some(({ outOfRange }) => outOfRange === true),
    batches: mergeBatches(deltas),
  };
}

/** Why server times are implausible; null if they are not. */
export function timesFault({ queue, computeInput, computeInfer, computeOutput, outOfRange }: ServerDelta) {
  if (outOfRange === true) return 'out-of-range' as const;
  const times = [queue, computeInput, computeInfer, computeOutput];
  return computeInfer.count > 0 && times.every(({ ns }) => ns === 0) ? ('constant' as const) : null;
}

/** Mean of a field by its own count; 0 without any. */
const meanUs = ({ count, ns }: DurationStatistic): number => (count === 0 ? 0 : ns / count / 1000);

export function serverColumns(delta: ServerDelta) {
  const queueUs = meanUs(delta.queue);
  const computeInputUs = meanUs(delta.computeInput);
  const computeInferUs = meanUs(delta.computeInfer);
  const computeOutputUs = meanUs(delta.computeOutput);
  // Cache times apply to some requests; this is their mean over all.
  const cacheUs =
    delta.success.count === 0 ? 0 : (delta.cacheHit.ns + delta.cacheMiss.ns) / delta.success.count / 1000;
  return {
    queueUs,
    computeInputUs,
    computeInferUs,
    computeOutputUs,
    /** Known server time of a mean request, including the cache. */
    knownUs: queueUs + computeInputUs + computeInferUs + computeOutputUs + cacheUs,
    /** Items per executed batch; null without executions. */
    meanServerBatch: delta.executionCount === 0 ? null : delta.inferenceCount / delta.executionCount,
  };
}

/** Executions by batch; null where the server counted none. */
export function batchColumns({
  batches = [],
}: ServerDelta): NonNullable<LoadPoint['executedBatches']> | null {
  if (batches.length === 0) return null;
  return batches.map(({ batchSize, executions }) => ({
    batchSize,
    count: executions.count,
    computeUs: roundUs(meanUs(executions)),
  }));
}

/** null without cache hits and misses. */
export function cacheColumns({ cacheHit, cacheMiss }: ServerDelta): ResponseCache | null {
  if (cacheHit.count + cacheMiss.count === 0) return null;
  const known = (field: DurationStatistic) => (field.count === 0 ? null : roundUs(meanUs(field)));
  return {
    hitCount: cacheHit.count,
    missCount: cacheMiss.count,
    hitUs: known(cacheHit),
    missUs: known(cacheMiss),
  };
}
