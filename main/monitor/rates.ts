import { modelKey, type ModelRates } from '../contract/monitor/monitor';
import type { DurationStatistic, ModelStatistics } from '../triton/statistics';

export interface RateChange {
  /** null when the counters began anew. */
  readonly rates: ModelRates | null;
  readonly successes: number;
  readonly failures: number;
  /** The counters are smaller than before: the model, or the whole server, was loaded again. */
  readonly reset: boolean;
}

const counters = [
  'success',
  'fail',
  'queue',
  'computeInput',
  'computeInfer',
  'computeOutput',
  'cacheHit',
  'cacheMiss',
] as const;

function wentBack(before: ModelStatistics, after: ModelStatistics): boolean {
  if (after.inferenceCount < before.inferenceCount || after.executionCount < before.executionCount)
    return true;
  return counters.some((name) => after[name].count < before[name].count || after[name].ns < before[name].ns);
}

/** What counters say of the process that keeps them: the same one, a new one, or nothing. */
export type CountersSince = 'kept' | 'anew' | 'unknown';

const served = ({ inferenceCount, success, fail }: ModelStatistics): boolean =>
  inferenceCount + success.count + fail.count > 0;

/**
 * By the models that had served anything. One that is not there any more may have been unloaded, and a single one that began
 * anew may have been loaded again: neither says anything. Pure.
 */
export function countersSince(
  before: ReadonlyMap<string, ModelStatistics>,
  after: readonly ModelStatistics[],
): CountersSince {
  const pairs = after.flatMap((model) => {
    const known = before.get(modelKey(model));
    return known !== undefined && served(known) ? [{ known, model }] : [];
  });
  const back = pairs.filter(({ known, model }) => wentBack(known, model)).length;
  if (back === 0) return pairs.length === 0 ? 'unknown' : 'kept';
  return back > 1 && back === pairs.length ? 'anew' : 'unknown';
}

/** Mean microseconds of what was counted in between; null when nothing was. */
function meanUs(before: DurationStatistic, after: DurationStatistic): number | null {
  const count = after.count - before.count;
  return count <= 0 ? null : (after.ns - before.ns) / count / 1000;
}

/**
 * What a model did between two readings of its counters, `seconds` apart. Counters that went back give no rate: when in
 * between they began anew is not known, so the second stays a hole.
 */
export function ratesBetween(before: ModelStatistics, after: ModelStatistics, seconds: number): RateChange {
  if (wentBack(before, after)) return { rates: null, successes: 0, failures: 0, reset: true };
  const successes = after.success.count - before.success.count;
  const failures = after.fail.count - before.fail.count;
  const requests = successes + failures;
  const inferences = after.inferenceCount - before.inferenceCount;
  const executions = after.executionCount - before.executionCount;
  const hits = after.cacheHit.count - before.cacheHit.count;
  const misses = after.cacheMiss.count - before.cacheMiss.count;
  return {
    successes,
    failures,
    reset: false,
    rates: {
      requestsPerSecond: requests / seconds,
      inferencesPerSecond: inferences / seconds,
      errorShare: requests === 0 ? null : failures / requests,
      queueUs: meanUs(before.queue, after.queue),
      computeInputUs: meanUs(before.computeInput, after.computeInput),
      computeInferUs: meanUs(before.computeInfer, after.computeInfer),
      computeOutputUs: meanUs(before.computeOutput, after.computeOutput),
      batch: executions === 0 ? null : inferences / executions,
      cacheHitShare: hits + misses === 0 ? null : hits / (hits + misses),
    },
  };
}
