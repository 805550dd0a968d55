import type {
  CountedKind,
  LatencyName,
  LoadPoint,
  Repeats,
  ResponseCache,
} from '../../contract/measured/results';
import type { Scenario } from '../../contract/run/run-events';
import { performanceOf } from '../../contract/run/run-source';
import type { MeasuredPoint, MissingPoint, RunState, ScenarioState } from '../../contract/run/run-state';
import { loadKey, ofScenario, turnKey, turnOf } from '../../contract/run/sweep';
import { present } from '../../contract/trees';
import { largestOf, meanInterval, medianOf, smallestOf } from '../statistics';
import { eachLatency, median, medianSpread } from './median-spread';
import { mergedGeneration } from './merged-generation';

type Streaming = NonNullable<LoadPoint['streaming']>;

/** A bound over all measurements; null where one is unknown. */
const bound = (values: readonly (number | null)[], of: (...values: number[]) => number): number | null =>
  values.includes(null) ? null : of(...values.map((value) => value ?? NaN));

function mergedStreaming(all: readonly [Streaming, ...Streaming[]]): Streaming {
  return {
    decoupled: all[0].decoupled,
    responsesPerRequest: median(all.map((one) => one.responsesPerRequest)),
    responsesPerSecond: medianOf(all.map((one) => one.responsesPerSecond)),
    fewestResponses: bound(
      all.map((one) => one.fewestResponses),
      Math.min,
    ),
    mostResponses: bound(
      all.map((one) => one.mostResponses),
      Math.max,
    ),
    firstResponse: medianSpread(all.map((one) => one.firstResponse)),
    interResponse: medianSpread(all.map((one) => one.interResponse)),
    finalResponse: medianSpread(all.map((one) => one.finalResponse)),
  };
}

const total = <Value>(all: readonly Value[], of: (one: Value) => number): number =>
  all.reduce((sum, one) => sum + of(one), 0);

const mergedCache = (all: readonly ResponseCache[]): ResponseCache => ({
  hitCount: total(all, (one) => one.hitCount),
  missCount: total(all, (one) => one.missCount),
  hitUs: median(all.filter(({ hitCount }) => hitCount > 0).map((one) => one.hitUs)),
  missUs: median(all.filter(({ missCount }) => missCount > 0).map((one) => one.missUs)),
});

/** One per kind, with the first message. */
export function mergedKinds(all: readonly CountedKind[]): CountedKind[] {
  const byKind = new Map<string, CountedKind>();
  for (const one of all) {
    const before = byKind.get(one.kind);
    byKind.set(one.kind, before === undefined ? one : { ...before, count: before.count + one.count });
  }
  return [...byKind.values()];
}

/**
 * Optional parts of several measurements of one level: medians of streams and sequences, sums of cache and checks, so
 * that every wrong response shows. Parts that one measurement lacks are left out.
 */
function mergedDetails(
  points: readonly LoadPoint[],
): Pick<
  LoadPoint,
  | 'streaming'
  | 'generation'
  | 'sequences'
  | 'outputChecks'
  | 'sharedMemory'
  | 'cache'
  | 'errorsByKind'
  | 'wrongByKind'
  | 'notFinite'
> {
  const [stream, ...streams] = points.flatMap(({ streaming }) => streaming ?? []);
  const checks = points.flatMap(({ outputChecks }) => outputChecks ?? []);
  const [sequence, ...sequences] = points.flatMap((point) => point.sequences ?? []);
  const [shared, ...others] = points.flatMap(({ sharedMemory }) => sharedMemory ?? []);
  const allShared = shared === undefined ? [] : [shared, ...others];
  const notFinite = points.flatMap((point) => point.notFinite ?? []);
  const kinds = (of: (point: LoadPoint) => LoadPoint['errorsByKind']) => {
    const merged = mergedKinds(points.flatMap((point) => of(point) ?? []));
    return merged.length === 0 ? null : merged;
  };
  const caches = points.flatMap(({ cache }) => cache ?? []);
  return present({
    cache: caches.length === 0 ? null : mergedCache(caches),
    sharedMemory: shared && {
      kind: shared.kind,
      checkedCount: total(allShared, (one) => one.checkedCount),
      wrongCount: total(allShared, (one) => one.wrongCount),
      repairs: total(allShared, (one) => one.repairs),
    },
    errorsByKind: kinds((point) => point.errorsByKind),
    wrongByKind: kinds((point) => point.wrongByKind),
    notFinite: notFinite[0] && {
      checkedCount: total(notFinite, (one) => one.checkedCount),
      count: total(notFinite, (one) => one.count),
      message: notFinite[0].message,
    },
    streaming: stream && mergedStreaming([stream, ...streams]),
    generation: mergedGeneration(points.flatMap(({ generation }) => generation ?? [])),
    sequences: sequence && {
      ...sequence,
      endedPerSecond: median([sequence, ...sequences].map((one) => one.endedPerSecond)),
    },
    outputChecks:
      checks.length === 0
        ? null
        : {
            checkedCount: total(checks, (one) => one.checkedCount),
            wrongCount: total(checks, (one) => one.wrongCount),
            comparedCount: total(checks, (one) => one.comparedCount),
            finite: checks.every((one) => one.finite),
          },
  });
}

const repeatedColumns = [
  'inferencesPerSecond',
  'clientSendUs',
  'networkServerSendRecvUs',
  'serverQueueUs',
  'serverComputeInputUs',
  'serverComputeInferUs',
  'serverComputeOutputUs',
  'clientRecvUs',
  'p50Us',
  'p90Us',
  'p95Us',
  'p99Us',
  'avgUs',
  'meanServerBatch',
] as const;
type Column = (typeof repeatedColumns)[number];
type NullableColumn = Exclude<Column, 'inferencesPerSecond' | 'p99Us'>;
const alwaysThere: readonly Column[] = ['inferencesPerSecond', 'p99Us'];
const isNullable = (column: Column): column is NullableColumn => !alwaysThere.includes(column);

const rangeOf = (values: readonly number[]) => ({ min: smallestOf(values), max: largestOf(values) });

/** Measurement with the median throughput, whose windows represent the level. */
function middlePoint(points: readonly [LoadPoint, ...LoadPoint[]]): LoadPoint {
  const median = medianOf(points.map((point) => point.inferencesPerSecond));
  const distance = (point: LoadPoint) => Math.abs(point.inferencesPerSecond - median);
  return points.reduce((best, point) => (distance(point) < distance(best) ? point : best));
}

function withoutRepeat(point: LoadPoint): Omit<LoadPoint, 'repeat'> {
  const rest: LoadPoint = { ...point };
  delete rest.repeat;
  return rest;
}

/** Latencies from the schedule where all have them: medians, ranges, and all delayed requests. */
function mergedSchedule(
  points: readonly LoadPoint[],
): Pick<LoadPoint, 'scheduled'> & Pick<Repeats, 'scheduledRanges'> {
  const all = points.flatMap(({ scheduled }) => scheduled ?? []);
  if (all.length < points.length) return {};
  return {
    scheduled: {
      ...eachLatency((name) => medianOf(all.map((one) => one[name]))),
      delayedCount: all.reduce((total, one) => total + one.delayedCount, 0),
    },
    scheduledRanges: eachLatency((name) => rangeOf(all.map((one) => one[name]))),
  };
}

/** From the repeats themselves; null for fewer than three, or an unknown latency. */
function repeatedIntervals(
  points: readonly LoadPoint[],
): Required<Pick<LoadPoint, 'p99IntervalUs' | 'latencyIntervals'>> {
  const of = (name: LatencyName): number | null => {
    const values = points.flatMap((point) => point[name] ?? []);
    return values.length < points.length ? null : meanInterval(values);
  };
  return {
    p99IntervalUs: of('p99Us'),
    latencyIntervals: { avgUs: of('avgUs'), p50Us: of('p50Us'), p90Us: of('p90Us'), p95Us: of('p95Us') },
  };
}

const sum = (values: readonly (number | null)[]): number | null =>
  values.includes(null) ? null : values.reduce<number>((total, value) => total + (value ?? 0), 0);

/**
 * Several measurements of one level as one: the median of each column with its range. Steady when all are; flags, errors
 * and requests are combined. Component medians need not add up to the mean. Checks and cache counts are summed, stream
 * figures are medians. Windows, histogram, composing models and client figures are the middle measurement's.
 * @param failed measurements without a result
 */
export function mergedPoint(points: readonly [LoadPoint, ...LoadPoint[]], failed: number): LoadPoint {
  const [first] = points;
  if (points.length === 1 && failed === 0 && first.repeat === undefined) return first;
  const medians: Partial<Record<Column, number>> = {};
  const unknown: Partial<Record<NullableColumn, null>> = {};
  const ranges: Partial<Record<Column, { readonly min: number; readonly max: number }>> = {};
  for (const column of repeatedColumns) {
    const values = points.flatMap((point) => point[column] ?? []);
    if (values.length < points.length) {
      if (isNullable(column)) unknown[column] = null;
      continue;
    }
    medians[column] = medianOf(values);
    ranges[column] = rangeOf(values);
  }
  const rates = points.map((point) => point.inferencesPerSecond);
  const own = points.flatMap((point) => point.throughputIntervalIps ?? []);
  const middle = middlePoint(points);
  const { scheduled, scheduledRanges } = mergedSchedule(points);
  return {
    ...withoutRepeat(middle),
    ...medians,
    ...unknown,
    ...(scheduled === undefined ? {} : { scheduled }),
    ...mergedDetails(points),
    requestCount: sum(points.map((point) => point.requestCount)),
    errorCount: points.reduce((total, point) => total + point.errorCount, 0),
    stable: points.every((point) => point.stable),
    flags: [...new Set(points.flatMap((point) => point.flags))],
    throughputIntervalIps: meanInterval(rates) ?? (own.length === 0 ? null : largestOf(own)),
    ...repeatedIntervals(points),
    elapsedUs: sum(points.map((point) => point.elapsedUs)),
    repeats: {
      count: points.length,
      failed,
      ranges,
      ...(scheduledRanges === undefined ? {} : { scheduledRanges }),
      middle: middle.repeat ?? points.indexOf(middle) + 1,
    },
  };
}

/** Which measurement the figures without a median come from; null of a level measured once. */
export function middleRepeatText(repeats: Repeats | undefined): string | null {
  if (repeats === undefined) return null;
  return `Windows, histogram, composing models and client: of repeat ${repeats.middle}, whose throughput is nearest the median.`;
}

/** "3 repeats", "2 of 3 repeats"; null of a level measured once. */
export function repeatsText(repeats: Repeats | undefined): string | null {
  if (repeats === undefined) return null;
  const { count, failed } = repeats;
  return failed === 0 ? `${count} repeats` : `${count} of ${count + failed} repeats`;
}

/** Models measured at the same time have a point each. */
const modelKey = ({ model }: LoadPoint): string => (model === undefined ? '' : ` ${model}`);

/** One point per level, of repeats their median, by the run's load tool: not the other one of a cross-check. */
export function shownScenario(
  state: Pick<RunState, 'source' | 'scenarios'>,
  scenario: Scenario,
): ScenarioState {
  const { points, missing } = state.scenarios[scenario];
  const performance = performanceOf(state);
  if (performance === null) return state.scenarios[scenario];
  const { loadTool, crossCheck, repeats } = ofScenario(performance, scenario);
  if (repeats === 1 && !crossCheck) return state.scenarios[scenario];
  // After a resume under changed keys the later result counts.
  const byTurn = new Map<string, MeasuredPoint>();
  for (const measured of points.filter(({ point }) => point.loadTool === loadTool)) {
    byTurn.set(turnKey(turnOf(measured.point, loadTool)) + modelKey(measured.point), measured);
  }
  const byLevel = new Map<string, MeasuredPoint[]>();
  for (const measured of byTurn.values()) {
    const key = loadKey(measured.point) + modelKey(measured.point);
    byLevel.set(key, [...(byLevel.get(key) ?? []), measured]);
  }
  const holes = missing.filter((hole) => (hole.loadTool ?? loadTool) === loadTool);
  const failedOf = (key: string) => holes.filter((hole) => loadKey(hole) === key).length;
  const firstHoles = new Map<string, MissingPoint>();
  for (const hole of holes) {
    const key = loadKey(hole);
    const isMeasured = [...byLevel.keys()].some((one) => one === key || one.startsWith(`${key} `));
    if (!isMeasured && !firstHoles.has(key)) firstHoles.set(key, hole);
  }
  return {
    points: [...byLevel.values()].flatMap(([first, ...others]) =>
      first === undefined
        ? []
        : [
            {
              key: first.key,
              point: mergedPoint(
                [first.point, ...others.map(({ point }) => point)],
                failedOf(loadKey(first.point)),
              ),
            },
          ],
    ),
    missing: [...firstHoles.values()],
  };
}
