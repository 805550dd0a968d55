import type { Scenario } from '../run/run-events';
import type { RunState } from '../run/run-state';
import type { LoadLevel } from '../run/scenario-levels';
import { scenarioOf, type Sweep, sweepOfLevel } from '../run/sweep';
import { spreadInterval } from '../statistics';
import { type Column, intervalOf, numberOf } from './column';
import { p99, scheduledP99, throughput } from './columns';
import { shownScenario } from './repeats';
import type { LoadPoint, MeasurementWindow } from './results';

/** A value of one run beside that of the first. */
export interface ComparedValue {
  readonly value: number;
  /** Half width of its 95 % interval; null where it is not known. */
  readonly interval: number | null;
  /** To the first run's; null for the first itself, or where that has none. */
  readonly ratio: number | null;
  /** The difference to the first is within the intervals of both; null where one is not known. */
  readonly withinNoise: boolean | null;
}

/** A level; one entry a run, null where it has not measured the level. */
export interface AlignedLevel {
  readonly level: number;
  /** Of a request. */
  readonly batchSize: number;
  readonly runs: readonly ({
    readonly point: LoadPoint;
    readonly throughput: ComparedValue;
    readonly p99Ms: ComparedValue;
    /** From the schedule; null in a closed loop and where the tool does not say. */
    readonly scheduledP99Ms: ComparedValue | null;
  } | null)[];
}

interface Measured {
  readonly value: number;
  readonly interval: number | null;
}

/**
 * Beside the first. Two intervals of independent means add up as squares: a difference below that is one that the
 * measurements cannot tell from none.
 */
function beside(own: Measured, first: Measured | null): ComparedValue {
  if (first === null) return { ...own, ratio: null, withinNoise: null };
  const noise =
    own.interval === null || first.interval === null ? null : Math.hypot(own.interval, first.interval);
  return {
    ...own,
    ratio: first.value > 0 ? own.value / first.value : null,
    withinNoise: noise === null ? null : Math.abs(own.value - first.value) <= noise,
  };
}

/**
 * Half width of the 95 % interval from the p99 of the windows, not divided by their number, as the native generator's own
 * intervals; null for fewer than three windows. For points whose tool states none.
 */
function p99IntervalMs(
  point: LoadPoint,
  of: (window: MeasurementWindow) => number | null | undefined,
): number | null {
  // Of repeats the windows are those of one of them.
  if (point.repeats !== undefined) return null;
  return spreadInterval(point.windows.flatMap((window) => of(window) ?? []).map((us) => us / 1000));
}

/** In the unit of the column. */
const valueOf = (column: Column, point: LoadPoint): number => numberOf(column)(point) ?? NaN;

const throughputOf = (point: LoadPoint): Measured => ({
  value: valueOf(throughput, point),
  interval: intervalOf(throughput)(point),
});
const p99Of = (point: LoadPoint): Measured => ({
  value: valueOf(p99, point),
  interval:
    point.p99IntervalUs === undefined
      ? p99IntervalMs(point, (window) => window.p99Us)
      : intervalOf(p99)(point),
});
const scheduledP99Of = (point: LoadPoint): Measured | null =>
  point.scheduled === undefined
    ? null
    : {
        value: valueOf(scheduledP99, point),
        interval: p99IntervalMs(point, (window) => window.scheduledP99Us),
      };

/** What the sweep varies, of a level. */
const levelOf = (scenario: Scenario, of: LoadLevel): number =>
  scenario === 'offline' ? of.batchSize : (of.requestRate ?? of.concurrency);

/** The measured levels that belong to the sweep; a rate of 8 requests/s is no concurrency of 8. */
export function pointsOfSweep(state: RunState, sweep: Sweep): readonly LoadPoint[] {
  const scenario = scenarioOf(sweep);
  return shownScenario(state, scenario)
    .points.map(({ point }) => point)
    .filter((point) => sweepOfLevel(scenario, point) === sweep);
}

/** Requests of another size are another level. */
const keyOf = (scenario: Scenario, point: LoadPoint): string =>
  `${levelOf(scenario, point)}/${point.batchSize}`;

/** Every level of the sweep that any of the runs has measured, ascending; all runs beside the first. */
export function compareLevels(states: readonly RunState[], sweep: Sweep): readonly AlignedLevel[] {
  const scenario = scenarioOf(sweep);
  const points = states.map(
    (state) => new Map(pointsOfSweep(state, sweep).map((point) => [keyOf(scenario, point), point] as const)),
  );
  const rows = new Map(points.flatMap((own) => [...own]));
  const ordered = [...rows].sort(
    ([, a], [, b]) => levelOf(scenario, a) - levelOf(scenario, b) || a.batchSize - b.batchSize,
  );
  return ordered.map(([key, row]) => {
    const first = points[0]?.get(key) ?? null;
    return {
      level: levelOf(scenario, row),
      batchSize: row.batchSize,
      runs: points.map((own, index) => {
        const point = own.get(key);
        if (point === undefined) return null;
        const to = index === 0 ? null : first;
        const scheduled = scheduledP99Of(point);
        return {
          point,
          scheduledP99Ms:
            scheduled === null ? null : beside(scheduled, to === null ? null : scheduledP99Of(to)),
          throughput: beside(throughputOf(point), to === null ? null : throughputOf(to)),
          p99Ms: beside(p99Of(point), to === null ? null : p99Of(to)),
        };
      }),
    };
  });
}
