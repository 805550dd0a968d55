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

export interface ComparedValue {
  readonly value: number;
  /** Half-width of its 95 % interval; null where unknown. */
  readonly interval: number | null;
  /** Ratio to the first run's; null for the first itself, or where that has none. */
  readonly ratio: number | null;
  /** The difference is within both intervals; null where one is unknown. */
  readonly withinNoise: boolean | null;
  /** Both are; otherwise a repeated measurement would differ, whatever its interval. */
  readonly steady: boolean;
  /** One of them has too many failed requests or a wrong response, so its figures mean nothing. */
  readonly faulty: boolean;
  /** Lowest and highest of windows or repeats; absent for fewer than three, or with a trend. */
  readonly range?: ValueRange | null;
}

interface ValueRange {
  readonly low: number;
  readonly high: number;
}

/** One entry per run, null where it has not measured the level. */
export interface AlignedLevel {
  readonly level: number;
  readonly batchSize: number;
  readonly model?: string;
  readonly runs: readonly ({
    readonly point: LoadPoint;
    readonly throughput: ComparedValue;
    readonly p99Ms: ComparedValue;
    /** null in a closed loop and where the tool does not report it. */
    readonly scheduledP99Ms: ComparedValue | null;
  } | null)[];
}

type Measured = Pick<ComparedValue, 'value' | 'interval' | 'steady' | 'faulty' | 'range'>;

const fewestWindows = 3;

/** Range of windows or repeats; null with a trend or a server restart. */
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

/** Compares with the first. Intervals of independent means add as squares: a smaller difference cannot be told from none. */
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
 * Half-width of the 95 % interval from the p99 of the windows, not divided by their number, like the built-in load
 * generator's; null for fewer than three windows. For points whose tool reports none.
 */
function p99IntervalMs(
  point: LoadPoint,
  of: (window: MeasurementWindow) => number | null | undefined,
): number | null {
  // The windows of repeats are those of one of them.
  if (point.repeats !== undefined) return null;
  return spreadInterval(point.windows.flatMap((window) => of(window) ?? []).map((us) => us / 1000));
}

const valueOf = (column: Column, point: LoadPoint): number => numberOf(column)(point) ?? NaN;

const throughputOf = (point: LoadPoint): Measured => ({
  value: valueOf(throughput, point),
  interval: intervalOf(throughput)(point),
  steady: isSteady(point),
  faulty: isFaulty(point),
  range: rangeOf(point, 'inferencesPerSecond', (window) => window.inferencesPerSecond),
});

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

const levelOf = (scenario: Scenario, of: LoadLevel): number =>
  scenario === 'offline' ? of.batchSize : (of.requestRate ?? of.concurrency);

/** Levels of the sweep: a rate of 8 requests/s is not a concurrency of 8. */
export function pointsOfSweep(state: RunState, sweep: Sweep): readonly LoadPoint[] {
  const scenario = scenarioOf(sweep);
  return shownScenario(state, scenario)
    .points.map(({ point }) => point)
    .filter((point) => sweepOfLevel(scenario, point) === sweep);
}

/** Another batch size is another level. */
const keyOf = (scenario: Scenario, point: LoadPoint): string =>
  `${levelOf(scenario, point)}/${point.batchSize}/${point.model ?? ''}`;

/** Every level that any run has measured, ascending; all runs compared with the first. */
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

export interface ComparedFigures {
  readonly throughput: ComparedValue;
  /** null: not reported. */
  readonly p99Ms: ComparedValue | null;
}

/** null where one side has not measured it. */
export interface ComparedPair {
  readonly level: number;
  readonly batchSize: number;
  readonly model?: string | undefined;
  readonly first: ComparedFigures | null;
  readonly second: ComparedFigures | null;
}

export interface ComparedSweep {
  readonly sweep: Sweep;
  readonly pairs: readonly ComparedPair[];
}

export const sweepsOf = (state: RunState): readonly Sweep[] =>
  scenarios.flatMap((scenario) =>
    shownScenario(state, scenario).points.map(({ point }) => sweepOfLevel(scenario, point)),
  );

/** Every level that either run has measured, the second compared with the first. */
export function compareRuns(first: RunState, second: RunState): readonly ComparedSweep[] {
  return [...new Set([...sweepsOf(first), ...sweepsOf(second)])].map((sweep) => ({
    sweep,
    pairs: compareLevels([first, second], sweep).map(
      ({ level, batchSize, model, runs: [a = null, b = null] }) => ({
        level,
        batchSize,
        model,
        first: a,
        second: b,
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

/** Compares a run with published figures, which have no interval: the noise is the run's. Common levels only. */
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
