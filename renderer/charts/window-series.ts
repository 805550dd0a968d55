import type { MeasurementWindow } from '../../main/contract/measured/results';
import type { Scenario } from '../../main/contract/run/run-events';
import type { ScenarioState } from '../../main/contract/run/run-state';
import type { LiveLevel, LiveWindow } from '../stores/open-run';
import { levelOf } from './chart';

const names = ['p50Ms', 'avgMs', 'p99Ms', 'scheduledP99Ms', 'inferencesPerSecond'] as const;
type Columns = Readonly<Record<(typeof names)[number], Float64Array>>;

export interface WindowSeries extends Omit<Columns, 'scheduledP99Ms'> {
  readonly count: number;
  readonly scheduledP99Ms?: Float64Array;
  /** Index at which the windows of each level begin, ascending. */
  readonly starts: readonly { readonly at: number; readonly level: number }[];
}

const empty = (room: number): Columns =>
  Object.fromEntries(names.map((name) => [name, new Float64Array(room).fill(NaN)])) as Columns;

const ms = (us: number | null | undefined): number => (us === null || us === undefined ? NaN : us / 1000);

function write(
  columns: Columns,
  at: number,
  window: LiveWindow & Partial<Pick<MeasurementWindow, 'p50Us' | 'avgUs'>>,
): void {
  columns.p50Ms[at] = ms(window.p50Us);
  columns.avgMs[at] = ms(window.avgUs);
  columns.p99Ms[at] = ms(window.p99Us);
  columns.scheduledP99Ms[at] = ms(window.scheduledP99Us);
  columns.inferencesPerSecond[at] = window.inferencesPerSecond;
}

/** The first windows of the columns. @param isOpen a loop whose requests have a schedule */
function seriesOf(
  columns: Columns,
  count: number,
  starts: WindowSeries['starts'],
  isOpen: boolean,
): WindowSeries {
  const part = (name: keyof Columns) => columns[name].subarray(0, count);
  return {
    count,
    starts,
    p50Ms: part('p50Ms'),
    avgMs: part('avgMs'),
    p99Ms: part('p99Ms'),
    inferencesPerSecond: part('inferencesPerSecond'),
    ...(isOpen ? { scheduledP99Ms: part('scheduledP99Ms') } : {}),
  };
}

/** @param landing levels with windows and without a result */
export function landedWindows(
  scenario: Scenario,
  state: ScenarioState,
  landing: readonly LiveLevel[] = [],
): WindowSeries {
  const levels = [
    ...state.points.map(({ point }) => point),
    ...landing.filter((one) => one.scenario === scenario),
  ];
  const count = levels.reduce((sum, { windows }) => sum + windows.length, 0);
  const columns = empty(count);
  const starts: { at: number; level: number }[] = [];
  let at = 0;
  for (const level of levels) {
    if (level.windows.length > 0) starts.push({ at, level: levelOf(scenario, level) });
    for (const window of level.windows) {
      write(columns, at, window);
      at += 1;
    }
  }
  const isOpen = levels.some(({ requestRate }) => requestRate !== undefined);
  return seriesOf(columns, count, starts, isOpen);
}

interface Buffers {
  readonly windows: LiveLevel['windows'];
  readonly columns: Columns;
  filled: number;
}
const buffersOf = new WeakMap<WindowSeries, Buffers>();

/** Larger than `count`, so that they are seldom copied. */
function buffersFor(landed: WindowSeries, windows: LiveLevel['windows'], count: number): Buffers {
  const last = buffersOf.get(landed);
  const known = last?.windows === windows ? last : null;
  if (known !== null && known.columns.p99Ms.length >= count) return known;
  const filled = known?.filled ?? landed.count;
  const columns = empty(count + Math.max(1024, count >> 2));
  for (const name of names) {
    const values = (known?.columns ?? landed)[name];
    if (values !== undefined) columns[name].set(values.subarray(0, filled));
  }
  const kept = { windows, columns, filled };
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
    if (window !== undefined) write(buffers.columns, buffers.filled, window);
  }
  const starts = [...landed.starts, { at: landed.count, level: levelOf(scenario, level) }];
  return seriesOf(buffers.columns, count, starts, level.requestRate !== undefined);
}

let ramp = new Float64Array(0);

/** 1, 2, 3 …: the numbers of so many windows. Shared and never written to again. */
export function windowNumbers(count: number): Float64Array {
  if (ramp.length < count) {
    ramp = new Float64Array(count * 2);
    for (let at = 0; at < ramp.length; at += 1) ramp[at] = at + 1;
  }
  return ramp.subarray(0, count);
}

/** The level that a window belongs to; `at` counts from 0. */
export function levelAt(series: WindowSeries, at: number): number | null {
  return series.starts.findLast((start) => start.at <= at)?.level ?? null;
}
