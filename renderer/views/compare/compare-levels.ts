import type { LoadPoint } from '../../../main/contract/results';
import type { Scenario } from '../../../main/contract/run-events';
import { shownScenario } from '../../../main/contract/repeats';
import type { RunState } from '../../../main/contract/run-state';
import { levelOf } from '../../charts/chart';

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
  readonly runs: readonly ({
    readonly point: LoadPoint;
    readonly throughput: ComparedValue;
    readonly p99Ms: ComparedValue;
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

/** Student's t, 97.5 %, for 2 to 9 degrees of freedom; with more, the normal distribution is near enough. */
const studentT = [4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262] as const;

/**
 * Half width of the 95 % interval of the mean of the windows' p99; null for fewer than three windows. It stands for the
 * noise of the level's p99, which is taken over all its requests.
 */
function p99IntervalMs(point: LoadPoint): number | null {
  const { repeats, p99IntervalUs } = point;
  // Of repeats the interval is theirs: the windows are those of one of them.
  if (repeats !== undefined && p99IntervalUs !== undefined) {
    return p99IntervalUs === null ? null : p99IntervalUs / 1000;
  }
  const values = point.windows.flatMap(({ p99Us }) => (p99Us === null ? [] : [p99Us / 1000]));
  if (values.length < 3) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return (studentT[values.length - 3] ?? 1.96) * Math.sqrt(variance / values.length);
}

const throughputOf = (point: LoadPoint): Measured => ({
  value: point.inferencesPerSecond,
  interval: point.throughputIntervalIps,
});
const p99Of = (point: LoadPoint): Measured => ({ value: point.p99Us / 1000, interval: p99IntervalMs(point) });

/** Every level that any of the runs has measured, ascending; all runs beside the first. */
export function compareLevels(states: readonly RunState[], scenario: Scenario): readonly AlignedLevel[] {
  const points = states.map(
    (state) =>
      new Map(
        shownScenario(state, scenario).points.map(({ point }) => [levelOf(scenario, point), point] as const),
      ),
  );
  const levels = [...new Set(points.flatMap((own) => [...own.keys()]))].sort((a, b) => a - b);
  return levels.map((level) => {
    const first = points[0]?.get(level) ?? null;
    return {
      level,
      runs: points.map((own, index) => {
        const point = own.get(level);
        if (point === undefined) return null;
        const to = index === 0 ? null : first;
        return {
          point,
          throughput: beside(throughputOf(point), to === null ? null : throughputOf(to)),
          p99Ms: beside(p99Of(point), to === null ? null : p99Of(to)),
        };
      }),
    };
  });
}
