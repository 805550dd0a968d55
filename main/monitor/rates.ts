import {
  longestMarkerText,
  longestName,
  longestReason,
  modelKey,
  type ModelRates,
  type ModelSample,
  type MonitorMarker,
  type MonitorSample,
  mostGpus,
  mostModels,
  mostOthers,
  mostReasonCharacters,
  mostSampleMarkers,
} from '../contract/monitor/monitor';
import { formatCount } from '../contract/numbers';
import type { DurationStatistic, ModelStatistics } from '../triton/statistics';

type Named = Pick<ModelSample, 'name' | 'version'>;

/** Shortens with "…"; idempotent. */
const cutTo = (text: string, most: number): string =>
  text.length <= most + 1 ? text : `${text.slice(0, most)}…`;

const cutReason = (text: string | null): string | null => (text === null ? null : cutTo(text, longestReason));

const shortReason = 100;

/** Only the first reason is long, because thousands of models may have one. */
function withBoundedReasons(models: readonly ModelSample[]): ModelSample[] {
  let left = mostReasonCharacters;
  return models.map((model) => {
    if (model.reason === null) return model;
    const reason = cutTo(model.reason, left > 0 ? longestReason : shortReason);
    left -= reason.length;
    return { ...model, reason };
  });
}

/** Limits models, ready ones first, and counts the rest. Removes duplicates, because rows are keyed by name. */
export function boundedModels<Model extends Named>(
  models: readonly Model[],
  serves: (model: Model) => boolean,
): { readonly kept: readonly Model[]; readonly more: number } {
  const byKey = new Map<string, Model>();
  let long = 0;
  for (const model of models) {
    if (model.name.length + model.version.length > longestName) long += 1;
    else if (!byKey.has(modelKey(model))) byKey.set(modelKey(model), model);
  }
  const named = [...byKey.values()];
  if (named.length <= mostModels) return { kept: named, more: long };
  const kept = [...named.filter(serves), ...named.filter((model) => !serves(model))].slice(0, mostModels);
  return { kept, more: long + named.length - kept.length };
}

/** Limits markers; the last one counts the rest. */
export function boundedMarkers(markers: readonly MonitorMarker[]): readonly MonitorMarker[] {
  const cut = markers
    .slice(0, mostSampleMarkers)
    .map((marker) => ({ ...marker, text: cutTo(marker.text, longestMarkerText) }));
  const last = markers[mostSampleMarkers - 1];
  if (markers.length <= mostSampleMarkers || last === undefined) return cut;
  const others = formatCount(markers.length - mostSampleMarkers + 1);
  return [...cut.slice(0, -1), { ...last, text: `and ${others} more events in the same second` }];
}

/** Bounds untrusted samples of servers and recordings. */
export function boundedSample(sample: MonitorSample): MonitorSample {
  const { kept, more } = boundedModels(sample.models, ({ state }) => state !== 'unavailable');
  const named = sample.gpus.filter(({ uuid }) => uuid.length <= longestName);
  const gpus = named.slice(0, mostGpus);
  const markers = boundedMarkers(sample.markers);
  const moreModels = more + (sample.more?.models ?? 0);
  const moreGpus = sample.gpus.length - gpus.length + (sample.more?.gpus ?? 0);
  const counted = moreModels + moreGpus === 0 ? {} : { more: { models: moreModels, gpus: moreGpus } };
  const { server } = sample;
  const other = Object.entries(sample.other).filter(([key]) => key.length <= longestMarkerText);
  return {
    ...sample,
    server: {
      ...server,
      reason: cutReason(server.reason),
      version: server.version === null ? null : cutTo(server.version, longestName),
      ...(server.name === undefined ? {} : { name: cutTo(server.name, longestName) }),
    },
    hole: cutReason(sample.hole),
    metricsProblem: cutReason(sample.metricsProblem),
    models: withBoundedReasons(kept),
    gpus: [...gpus],
    other: Object.fromEntries(other.slice(0, mostOthers)),
    markers: [...markers],
    ...counted,
  };
}

export interface RateChange {
  /** null when counters restarted. */
  readonly rates: ModelRates | null;
  readonly successes: number;
  readonly failures: number;
  /** Counters decreased: model or server was reloaded. */
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

/** Whether counters are from the same process. */
export type CountersSince = 'kept' | 'anew' | 'unknown';

const served = ({ inferenceCount, success, fail }: ModelStatistics): boolean =>
  inferenceCount + success.count + fail.count > 0;

/** Judged by models with requests. One missing or restarted model says nothing: it may have been unloaded or reloaded. */
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

/** null if nothing was counted. */
function meanUs(before: DurationStatistic, after: DurationStatistic): number | null {
  const count = after.count - before.count;
  return count <= 0 ? null : (after.ns - before.ns) / count / 1000;
}

/** Rates over `seconds`. Decreased counters give none, because the time of restart is unknown. */
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
