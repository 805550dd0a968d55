import { isFaulty, isSteady } from '../../contract/flag-text';
import { type Baseline, baselineSeries } from '../../contract/measured/baseline';
import { type Column, intervalOf, numberOf } from '../../contract/measured/column';
import { p99, scheduledP99, throughput } from '../../contract/measured/columns';
import type { LoadPoint, MeasurementWindow } from '../../contract/measured/results';
import { type Scenario, scenarios } from '../../contract/run/run-events';
import { performanceOf } from '../../contract/run/run-source';
import type { RunState } from '../../contract/run/run-state';
import { type LoadLevel, scenarioOf, type Sweep, sweepOfLevel } from '../../contract/run/sweep';
import { largestOf, smallestOf, spreadInterval } from '../statistics';
import { shownScenario } from './repeats';

/** A value of one run beside that of the first. */
export interface ComparedValue {
  readonly value: number;
  /** Half width of its 95 % interval; null where it is not known. */
  readonly interval: number | null;
  /** To the first run's; null for the first itself, or where that has none. */
  readonly ratio: number | null;
  /** The difference to the first is within the intervals of both; null where one is not known. */
  readonly withinNoise: boolean | null;
  /** Of both: measured again, one that is not would come out differently, whatever its interval says. */
  readonly steady: boolean;
  /** Of both: one where too many requests failed, or a response was wrong, has figures that say nothing. */
  readonly faulty: boolean;
  /** Lowest and highest of its windows or repeats; null or absent where there are fewer than three, or they went one way. */
  readonly range?: ValueRange | null;
}

interface ValueRange {
  readonly low: number;
  readonly high: number;
}

/** A level; one entry a run, null where it has not measured the level. */
export interface AlignedLevel {
  readonly level: number;
  /** Of a request. */
  readonly batchSize: number;
  /** Of several that were measured at the same time. */
  readonly model?: string;
  readonly runs: readonly ({
    readonly point: LoadPoint;
    readonly throughput: ComparedValue;
    readonly p99Ms: ComparedValue;
    /** From the schedule; null in a closed loop and where the tool does not say. */
    readonly scheduledP99Ms: ComparedValue | null;
  } | null)[];
}

type Measured = Pick<ComparedValue, 'value' | 'interval' | 'steady' | 'faulty' | 'range'>;

const fewestWindows = 3;

/** Lowest and highest of the windows or repeats; null where they went one way or the server restarted in between. */
function rangeOf(
  point: LoadPoint,
  column: 'p99Us' | 'inferencesPerSecond',
  of: (window: MeasurementWindow) => number | null | undefined,
): ValueRange | null {
  if (point.flags.includes('drifting') || point.flags.includes('server-restarted')) return null;
  const { repeats, windows } = point;
  if (repeats !== undefined) {
    const range = repeats.ranges[column];
    return range === undefined || repeats.count < fewestWindows ? null : { low: range.min, high: range.max };
  }
  const values = windows.flatMap((window) => of(window) ?? []);
  if (values.length < fewestWindows) return null;
  const all = [...values, point[column]];
  return { low: smallestOf(all), high: largestOf(all) };
}

const inMilliseconds = (range: ValueRange | null): ValueRange | null =>
  range === null ? null : { low: range.low / 1000, high: range.high / 1000 };

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
    steady: own.steady && first.steady,
    faulty: own.faulty || first.faulty,
    ratio: first.value > 0 ? own.value / first.value : null,
    withinNoise: noise === null ? null : Math.abs(own.value - first.value) <= noise,
  };
}

/**
 * Half width of the 95 % interval from the p99 of the windows, not divided by their number, as the built-in load generator's own
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
  steady: isSteady(point),
  faulty: isFaulty(point),
  range: rangeOf(point, 'inferencesPerSecond', (window) => window.inferencesPerSecond),
});

/** The throughput of any level beside that of another one. */
export const besideThroughput = (own: LoadPoint, first: LoadPoint): ComparedValue =>
  beside(throughputOf(own), throughputOf(first));

const p99Of = (point: LoadPoint): Measured => ({
  value: valueOf(p99, point),
  interval:
    point.p99IntervalUs === undefined
      ? p99IntervalMs(point, (window) => window.p99Us)
      : intervalOf(p99)(point),
  steady: isSteady(point),
  faulty: isFaulty(point),
  range: inMilliseconds(rangeOf(point, 'p99Us', (window) => window.p99Us)),
});
const scheduledP99Of = (point: LoadPoint): Measured | null =>
  point.scheduled === undefined
    ? null
    : {
        value: valueOf(scheduledP99, point),
        interval: p99IntervalMs(point, (window) => window.scheduledP99Us),
        steady: isSteady(point),
        faulty: isFaulty(point),
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
  `${levelOf(scenario, point)}/${point.batchSize}/${point.model ?? ''}`;

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
      ...(row.model === undefined ? {} : { model: row.model }),
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

/** What is compared of a level, whoever measured it. */
export interface ComparedFigures {
  readonly throughput: ComparedValue;
  /** null where nobody says it. */
  readonly p99Ms: ComparedValue | null;
}

/** A level of two sides; null where one has not measured it. */
export interface ComparedPair {
  readonly level: number;
  readonly batchSize: number;
  /** Of several that were measured at the same time. */
  readonly model?: string | undefined;
  readonly first: ComparedFigures | null;
  readonly second: ComparedFigures | null;
}

export interface ComparedSweep {
  readonly sweep: Sweep;
  readonly pairs: readonly ComparedPair[];
}

/** The sweeps that a run has levels of. */
export const sweepsOf = (state: RunState): readonly Sweep[] =>
  scenarios.flatMap((scenario) =>
    shownScenario(state, scenario).points.map(({ point }) => sweepOfLevel(scenario, point)),
  );

/** Every level that one of the two runs has measured, the second beside the first. Pure. */
export function compareRuns(first: RunState, second: RunState): readonly ComparedSweep[] {
  return [...new Set([...sweepsOf(first), ...sweepsOf(second)])].map((sweep) => ({
    sweep,
    pairs: compareLevels([first, second], sweep).map(
      ({ level, batchSize, model, runs: [a = null, b = null] }) => ({
        ...{ level, batchSize, model, first: a, second: b },
      }),
    ),
  }));
}

const published = (value: number): Measured => ({
  value,
  interval: 0,
  steady: true,
  faulty: false,
  range: { low: value, high: value },
});

/**
 * A run beside published figures. They have no interval and are taken as they stand: the noise is that of the run. Only
 * levels that both have. Pure.
 */
export function compareWithPublished(baseline: Baseline, state: RunState): readonly ComparedSweep[] {
  return (['batchSize', 'concurrency'] as const).flatMap((sweep) => {
    const scenario = scenarioOf(sweep);
    const series = baselineSeries(baseline, scenario, performanceOf(state));
    const own = pointsOfSweep(state, sweep);
    const pairs = (series?.points ?? []).flatMap((first): ComparedPair[] => {
      const { batchSize, load, inferencesPerSecond, p99Ms } = first;
      const found = own.find((one) => one.batchSize === batchSize && levelOf(scenario, one) === load);
      if (found === undefined) return [];
      const of = (value: Measured): ComparedValue => beside(value, null);
      return [
        {
          level: load,
          batchSize,
          first: {
            throughput: of(published(inferencesPerSecond)),
            p99Ms: p99Ms === null ? null : of(published(p99Ms)),
          },
          second: {
            throughput: beside(throughputOf(found), published(inferencesPerSecond)),
            p99Ms: beside(p99Of(found), p99Ms === null ? null : published(p99Ms)),
          },
        },
      ];
    });
    return pairs.length === 0 ? [] : [{ sweep, pairs }];
  });
}
