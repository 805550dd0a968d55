import type { Scenario } from '../../main/contract/run/run-events';
import type { ScenarioState } from '../../main/contract/run/run-state';
import type { LiveLevel } from '../stores/open-run';
import { levelOf } from './chart';

/** Measurement windows of a scenario one after the other, in the order of measuring; NaN where the tool says nothing. */
export interface WindowSeries {
  readonly count: number;
  readonly p50Ms: Float64Array;
  readonly avgMs: Float64Array;
  readonly p99Ms: Float64Array;
  /** From the schedule; absent of closed loops. */
  readonly scheduledP99Ms?: Float64Array;
  readonly inferencesPerSecond: Float64Array;
  /** Where the windows of each level begin, ascending. */
  readonly starts: readonly { readonly at: number; readonly level: number }[];
}

const ms = (us: number | null): number => (us === null ? NaN : us / 1000);

/** The windows of the levels that have landed. */
export function landedWindows(scenario: Scenario, state: ScenarioState): WindowSeries {
  const count = state.points.reduce((sum, { point }) => sum + point.windows.length, 0);
  const series = {
    count,
    p50Ms: new Float64Array(count),
    avgMs: new Float64Array(count),
    p99Ms: new Float64Array(count),
    inferencesPerSecond: new Float64Array(count),
  };
  const open = state.points.some(({ point }) => point.requestRate !== undefined);
  const scheduledP99Ms = open ? new Float64Array(count).fill(NaN) : undefined;
  const starts: { at: number; level: number }[] = [];
  let at = 0;
  for (const { point } of state.points) {
    if (point.windows.length > 0) starts.push({ at, level: levelOf(scenario, point) });
    for (const window of point.windows) {
      series.p50Ms[at] = ms(window.p50Us);
      series.avgMs[at] = ms(window.avgUs);
      series.p99Ms[at] = ms(window.p99Us);
      if (scheduledP99Ms !== undefined) scheduledP99Ms[at] = ms(window.scheduledP99Us ?? null);
      series.inferencesPerSecond[at] = window.inferencesPerSecond;
      at += 1;
    }
  }
  return { ...series, starts, ...(scheduledP99Ms === undefined ? {} : { scheduledP99Ms }) };
}

/** Room for the windows that are still to come behind those that have landed; filled as they do. */
interface Buffers {
  readonly windows: LiveLevel['windows'];
  filled: number;
  p50Ms: Float64Array;
  avgMs: Float64Array;
  p99Ms: Float64Array;
  scheduledP99Ms: Float64Array;
  inferencesPerSecond: Float64Array;
}
const buffersOf = new WeakMap<WindowSeries, Buffers>();

function withRoom(values: Float64Array, used: number, room: number): Float64Array {
  const longer = new Float64Array(room).fill(NaN);
  longer.set(values.subarray(0, used));
  return longer;
}

/** Buffers with the landed windows in front and room for `count`; more than needed, so that few are ever copied. */
function buffersFor(landed: WindowSeries, windows: LiveLevel['windows'], count: number): Buffers {
  const known = buffersOf.get(landed);
  const kept =
    known?.windows === windows
      ? known
      : {
          ...landed,
          scheduledP99Ms: landed.scheduledP99Ms ?? new Float64Array(landed.count).fill(NaN),
          windows,
          filled: landed.count,
        };
  if (kept.p99Ms.length < count || kept !== known) {
    const room = count + Math.max(1024, count >> 2);
    kept.p50Ms = withRoom(kept.p50Ms, kept.filled, room);
    kept.avgMs = withRoom(kept.avgMs, kept.filled, room);
    kept.p99Ms = withRoom(kept.p99Ms, kept.filled, room);
    kept.scheduledP99Ms = withRoom(kept.scheduledP99Ms, kept.filled, room);
    kept.inferencesPerSecond = withRoom(kept.inferencesPerSecond, kept.filled, room);
  }
  buffersOf.set(landed, kept);
  return kept;
}

/** The same with the windows of the level under way behind them. That list grows in place; only its new end is read. */
export function withLiveWindows(
  scenario: Scenario,
  landed: WindowSeries,
  level: LiveLevel | null,
): WindowSeries {
  if (level === null || level.scenario !== scenario || level.windows.length === 0) return landed;
  const count = landed.count + level.windows.length;
  const buffers = buffersFor(landed, level.windows, count);
  for (; buffers.filled < count; buffers.filled += 1) {
    const window = level.windows[buffers.filled - landed.count];
    buffers.p99Ms[buffers.filled] = ms(window?.p99Us ?? null);
    buffers.scheduledP99Ms[buffers.filled] = ms(window?.scheduledP99Us ?? null);
    buffers.inferencesPerSecond[buffers.filled] = window?.inferencesPerSecond ?? NaN;
  }
  return {
    count,
    p50Ms: buffers.p50Ms.subarray(0, count),
    avgMs: buffers.avgMs.subarray(0, count),
    p99Ms: buffers.p99Ms.subarray(0, count),
    ...(level.requestRate === undefined ? {} : { scheduledP99Ms: buffers.scheduledP99Ms.subarray(0, count) }),
    inferencesPerSecond: buffers.inferencesPerSecond.subarray(0, count),
    starts: [...landed.starts, { at: landed.count, level: levelOf(scenario, level) }],
  };
}

let ramp = new Float64Array(0);

/** 1, 2, 3 …: the numbers of so many windows. Shared and never written to again. */
export function windowNumbers(count: number): Float64Array {
  if (ramp.length < count) ramp = Float64Array.from({ length: count * 2 }, (_unused, index) => index + 1);
  return ramp.subarray(0, count);
}

/** The level that a window belongs to; `at` counts from 0. */
export function levelAt(series: WindowSeries, at: number): number | null {
  return series.starts.findLast((start) => start.at <= at)?.level ?? null;
}
