import { titledMessage } from '../../contract/error-text';
import { isFaulty, isSound } from '../../contract/flag-text';
import type { Gpu } from '../../contract/measured/detail-columns';
import type { LoadPoint } from '../../contract/measured/results';
import { type Scenario, scenarios } from '../../contract/run/run-events';
import { bySource } from '../../contract/run/run-source';
import type { RunState } from '../../contract/run/run-state';
import { scenarioOfLevels } from '../../contract/run/server-load';
import { budgetLatencyUs, byLoad, loadKey, type LoadLevel, scenarioLevels } from '../../contract/run/sweep';
import { shownScenario } from './repeats';

/** A measured level, or one without a result and its reason. */
export interface Level extends LoadLevel {
  readonly point: LoadPoint | null;
  readonly hole: { readonly mark: string; readonly reason: string } | null;
}

/** Requested levels of a scenario, of a search those it may try; none of an import. */
export const askedLoads = ({ source }: Pick<RunState, 'source'>, scenario: Scenario): readonly LoadLevel[] =>
  bySource(source, {
    imported: () => [],
    deployed: ({ performance }) => scenarioLevels(performance, scenario),
    // With weights or several models, each point has its own load.
    server: ({ models, levels }) =>
      models.every(({ weight }) => weight === 1) && scenarioOfLevels(levels) === scenario ? levels : [],
  });

/** Assumes that all are measured; only a search decides which it tries. */
function wantedLoads(state: RunState, scenario: Scenario): readonly LoadLevel[] {
  const searching = bySource(state.source, {
    imported: () => false,
    deployed: ({ performance }) => scenario === 'online' && performance.search !== 'none',
    server: ({ search }) => search !== null,
  });
  return searching ? [] : askedLoads(state, scenario);
}

/** By batch size, then load: measured, failed, or never reached. Of repeated ones the later result. */
export function levelsOf(state: RunState, scenario: Scenario): readonly Level[] {
  const known = knownLevels.get(state) ?? {};
  const levels = known[scenario] ?? findLevels(state, scenario);
  knownLevels.set(state, { ...known, [scenario]: levels });
  return levels;
}

/** Cached by state, which is immutable: reports ask repeatedly. */
const knownLevels = new WeakMap<RunState, Partial<Record<Scenario, readonly Level[]>>>();

function findLevels(state: RunState, scenario: Scenario): readonly Level[] {
  const { points, missing } = shownScenario(state, scenario);
  const levels = new Map<string, Level>();
  for (const load of wantedLoads(state, scenario)) {
    const reason = 'The run ended before this level was measured.';
    levels.set(loadKey(load), { ...load, point: null, hole: { mark: 'missing: not-reached', reason } });
  }
  for (const { batchSize, concurrency, requestRate, error } of missing) {
    const load = { batchSize, concurrency, ...(requestRate === undefined ? {} : { requestRate }) };
    const reason = titledMessage(error);
    const hole = { mark: `missing: ${error.code}`, reason };
    levels.set(loadKey(load), { ...load, point: null, hole });
  }
  for (const { point } of points) {
    const { batchSize, concurrency, requestRate } = point;
    const load = { batchSize, concurrency, ...(requestRate === undefined ? {} : { requestRate }) };
    const key = loadKey(load);
    // Models measured at the same time have a row each per level.
    if (point.model !== undefined) levels.delete(key);
    levels.set(point.model === undefined ? key : `${key} ${point.model}`, { ...load, point, hole: null });
  }
  return [...levels.values()].sort(byLoad);
}

export interface BestPoint {
  readonly scenario: Scenario;
  readonly point: LoadPoint;
}

export const highest = (points: readonly BestPoint[]): BestPoint | null =>
  points.reduce<BestPoint | null>(
    (best, next) =>
      best === null || next.point.inferencesPerSecond > best.point.inferencesPerSecond ? next : best,
    null,
  );

export const measuredPoints = (state: RunState): readonly BestPoint[] =>
  scenarios.flatMap((scenario) =>
    levelsOf(state, scenario).flatMap(({ point }) => (point === null ? [] : [{ scenario, point }])),
  );

function bestOf(all: readonly BestPoint[]): BestPoint | null {
  const sound = all.filter(({ point }) => isSound(point));
  const usable = all.filter(({ point }) => !isFaulty(point));
  return highest(sound) ?? highest(usable) ?? highest(all);
}

/** Highest throughput: of sound levels, else of those without too many errors, else of all. null without points. */
export const bestPoint = (state: RunState): BestPoint | null => bestOf(measuredPoints(state));

export const bestPointOf = (state: RunState, scenario: Scenario): LoadPoint | null =>
  bestOf(measuredPoints(state).filter((one) => one.scenario === scenario))?.point ?? null;

export function isAllFaulty(state: RunState): boolean {
  const best = bestPoint(state);
  return best !== null && isFaulty(best.point);
}

/** Sound level with the highest throughput; null without one. */
export function bestSteadyPoint(state: RunState, scenario: Scenario): LoadPoint | null {
  const best = bestPointOf(state, scenario);
  return best !== null && isSound(best) ? best : null;
}

/** By p99 from the schedule in an open loop. */
export const isWithin = (point: LoadPoint, budgetMs: number): boolean =>
  budgetLatencyUs(point) <= budgetMs * 1000;

/** Sound levels that no other one beats in throughput and p99, by throughput. */
export function paretoFront(points: readonly LoadPoint[]): readonly LoadPoint[] {
  const fastest = points
    .filter(isSound)
    .sort((a, b) => b.inferencesPerSecond - a.inferencesPerSecond || budgetLatencyUs(a) - budgetLatencyUs(b));
  const front: LoadPoint[] = [];
  for (const point of fastest) {
    const last = front.at(-1);
    const [own, least] = [budgetLatencyUs(point), last === undefined ? Infinity : budgetLatencyUs(last)];
    const equals = own === least && point.inferencesPerSecond === last?.inferencesPerSecond;
    if (own < least || equals) front.push(point);
  }
  return front.reverse();
}

/** Smallest distance of two labels of a wide chart, as shares of its axes. */
const labelWidth = 0.035;
const labelHeight = 0.09;

/** Levels whose labels do not overlap over throughput and p99; `first` have priority. */
export function spacedLevels(
  points: readonly LoadPoint[],
  first: readonly LoadPoint[] = [],
): ReadonlySet<LoadPoint> {
  const most = (read: (point: LoadPoint) => number): number =>
    points.map(read).reduce((a, b) => Math.max(a, b), 0);
  const [widest, highest] = [most(({ inferencesPerSecond }) => inferencesPerSecond), most(budgetLatencyUs)];
  const touches = (a: LoadPoint, b: LoadPoint): boolean =>
    Math.abs(a.inferencesPerSecond - b.inferencesPerSecond) < labelWidth * widest &&
    Math.abs(budgetLatencyUs(a) - budgetLatencyUs(b)) < labelHeight * highest;
  const kept = new Set<LoadPoint>();
  for (const point of [...first, ...points]) {
    if ([...kept].every((other) => !touches(point, other))) kept.add(point);
  }
  return kept;
}

/** The run's own p99 budget, else that of its search, milliseconds; null without one. */
export const budgetMsOf = ({ p99BudgetMs, source }: RunState): number | null =>
  p99BudgetMs ??
  bySource(source, {
    imported: () => null,
    // With another percentile the threshold is not a p99.
    server: ({ search, settings }) =>
      search === null || settings.percentile > 0 ? null : search.thresholdUs / 1000,
    deployed: ({ performance: { search, latencyThresholdMs } }) =>
      search !== 'none' && latencyThresholdMs > 0 ? latencyThresholdMs : null,
  });

interface GpuLine {
  readonly name: string;
  /** Index among the chart's GPUs, the same for its second quantity. */
  readonly gpu: number;
  readonly second: boolean;
  readonly read: (point: LoadPoint) => number | null;
}

export interface GpuChart {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly GpuLine[];
}

/** More are drawn as their mean. */
const mostGpus = 4;

const share = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole === 0 ? null : (100 * part) / whole;

const quantities = [
  {
    id: 'gpu-load',
    title: 'GPU utilization and memory',
    unit: '%',
    parts: [
      ['Utilization', ({ utilization }: Gpu) => (utilization === null ? null : 100 * utilization)],
      ['Memory', ({ maxMemoryBytes, totalMemoryBytes }: Gpu) => share(maxMemoryBytes, totalMemoryBytes)],
    ],
  },
  { id: 'gpu-power', title: 'GPU power', unit: 'W', parts: [['Power', ({ powerW }: Gpu) => powerW]] },
  {
    id: 'gpu-clock',
    title: 'GPU clock',
    unit: 'MHz',
    parts: [['SM clock', (gpu: Gpu) => gpu.smClockMHz ?? null]],
  },
] as const;

/** "GPU-1a2b3c4d". */
const shortUuid = (uuid: string): string => uuid.slice(0, 12);

/** Charts of GPU readings over the levels; none for quantities without readings. */
export function gpuCharts(points: readonly LoadPoint[]): readonly GpuChart[] {
  const uuids = [...new Set(points.flatMap((point) => (point.gpus ?? []).map(({ uuid }) => uuid)))];
  const groups = uuids.length > mostGpus ? [uuids] : uuids.map((uuid) => [uuid]);
  const nameOf = ([first = '']: readonly string[], part: string): string =>
    uuids.length === 1
      ? part
      : `${part}, ${groups.length === 1 ? `mean of ${uuids.length} GPUs` : shortUuid(first)}`;
  return quantities.flatMap(({ parts, ...chart }) => {
    const lines = groups.flatMap((group, gpu) =>
      parts.map(([part, of], index) => ({
        name: nameOf(group, part),
        gpu,
        second: index > 0,
        read: (point: LoadPoint): number | null => {
          const own = (point.gpus ?? []).filter(({ uuid }) => group.includes(uuid)).map(of);
          const known = own.filter((value) => value !== null);
          return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
        },
      })),
    );
    const drawn = lines.filter(({ read }) => points.some((point) => read(point) !== null));
    return drawn.length === 0 ? [] : [{ ...chart, lines: drawn }];
  });
}
