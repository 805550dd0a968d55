import type { LoadPoint } from '../../contract/measured/results';
import type { RunState } from '../../contract/run/run-state';
import { budgetLatencyUs } from '../../contract/run/sweep';
import { medianOf } from '../statistics';
import { arrivalsOfLevel } from './arrivals';
import { predict } from './predict';
import { isPredictable, predictableRun } from './what-if';

/** A load as it is predicted, between loads that were measured. */
export interface PredictedLevel {
  /** Requests under way, or requests per second. */
  readonly load: number;
  readonly inferencesPerSecond: number;
  readonly p99Us: number;
}

const steps = 16;
const simulatedRequests = 4000;
const fewestLevels = 2;
/** A curve that misses the measured levels by more says nothing of what is between them. */
const mostMiss = 0.3;

const loadOf = ({ requestRate, concurrency }: LoadPoint): number => requestRate ?? concurrency;

/** From the lowest to the highest, evenly by ratio; of connections whole numbers. */
function loadsBetween(lowest: number, highest: number, isOpen: boolean): readonly number[] {
  const loads = Array.from({ length: steps + 1 }, (_unused, step) => {
    const load = lowest * (highest / lowest) ** (step / steps);
    return isOpen ? load : Math.round(load);
  });
  return [...new Set(loads)];
}

const isOneSweep = (points: readonly LoadPoint[], first: LoadPoint): boolean =>
  points.every(
    ({ batchSize, requestRate, requestDistribution, burstiness, stages, model }) =>
      model === undefined &&
      stages === undefined &&
      burstiness === first.burstiness &&
      batchSize === first.batchSize &&
      (requestRate === undefined) === (first.requestRate === undefined) &&
      requestDistribution === first.requestDistribution,
  );

/**
 * What the levels of a sweep over one load would be between the measured ones, ascending by load. Empty where nothing can be
 * predicted, and where the prediction does not find the measured levels again; loads outside the range it was fed for are
 * left out. Pure.
 */
export function predictedCurve(state: RunState): readonly PredictedLevel[] {
  const run = predictableRun(state);
  if (!isPredictable(run)) return [];
  const points = state.scenarios.online.points.map(({ point }) => point);
  const [first] = points;
  const loads = [...new Set(points.map(loadOf))].sort((a, b) => a - b);
  const [lowest, highest] = [loads[0] ?? 0, loads.at(-1) ?? 0];
  if (first === undefined || loads.length < fewestLevels || !isOneSweep(points, first)) return [];
  const isOpen = first.requestRate !== undefined;
  const of = (load: number) =>
    predict({
      ...run.times,
      serving: run.configure,
      arrivals: arrivalsOfLevel({ ...first, ...(isOpen ? { requestRate: load } : { concurrency: load }) }),
      ...{ batchSize: first.batchSize, requestCount: simulatedRequests },
    });
  const misses = points.flatMap((point) => {
    const { predictedInferencesPerSecond, predictedLatency } = of(loadOf(point));
    const p99 =
      predictedLatency === null ? [] : [Math.abs(predictedLatency.p99Us / budgetLatencyUs(point) - 1)];
    return [Math.abs(predictedInferencesPerSecond / point.inferencesPerSecond - 1), ...p99];
  });
  if (medianOf(misses) > mostMiss) return [];
  return loadsBetween(lowest, highest, isOpen).flatMap((load): PredictedLevel[] => {
    const { predictedInferencesPerSecond: inferencesPerSecond, predictedLatency, isOutside } = of(load);
    return isOutside || predictedLatency === null
      ? []
      : [{ load, inferencesPerSecond, p99Us: predictedLatency.p99Us }];
  });
}
