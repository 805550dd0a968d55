import type { Searched, SearchStrategy } from '../../../contract/study/search';
import { fitServiceTimes } from '../../predict/fit-service-times';
import { predict } from '../../predict/predict';
import { largestOf, medianOf } from '../../statistics';
import { batchSizeOf, loadAt, type Step, stepOfRate, stepsOf } from './arms';
import { fedLevels, isGuessable, latencyAt } from './guess';

/** A load of a candidate as it is predicted. */
export interface PredictedLoad {
  /** Requests under way, or requests a second. */
  readonly load: number;
  readonly inferencesPerSecond: number;
  /** The percentile of the target, microseconds. */
  readonly latencyUs: number;
}

const simulatedRequests = 3000;
/** Of the highest rate that was measured: below it nothing new is shown. */
const lowestShare = 0.1;
/** Rates of the ladder between two predicted ones. */
const stride = 3;
/** A curve that misses the measured loads by more says nothing of what is between them. */
const mostMiss = 0.3;
const fewestLoads = 2;

/** Up to the highest load that was measured. */
function stepsUpTo({ load }: SearchStrategy, measured: readonly Step[]): readonly number[] {
  const highest = largestOf(measured.map(({ step }) => step));
  const lowest = load.kind === 'closed' ? 0 : highest + Math.min(-stride, stepOfRate(lowestShare));
  const every = load.kind === 'closed' ? 1 : stride;
  const count = Math.floor((highest - lowest) / every) + 1;
  return Array.from({ length: count }, (_unused, at) => highest - (count - 1 - at) * every);
}

/**
 * The loads of a candidate up to the highest that it was measured at, as they are predicted from the looks of the search,
 * ascending. Empty where nothing can be predicted, and where the prediction does not find the measured loads again; what lies
 * outside of what was measured is left out. Pure.
 */
export function predictedLoads(
  search: SearchStrategy,
  searched: Searched,
  candidate: number,
): readonly PredictedLoad[] {
  const serving = search.candidates[candidate - 1];
  const measured = stepsOf(search, searched.looks, candidate);
  if (serving === undefined || !isGuessable(search) || measured.length < fewestLoads) return [];
  const times = fitServiceTimes(fedLevels(search, searched, serving));
  if (times === null) return [];
  const batchSize = batchSizeOf(search, candidate);
  const of = (step: number) => {
    const load = loadAt(search, step);
    if (load === null) return null;
    const isOpen = 'requestRate' in load;
    const { predictedLatency, predictedInferencesPerSecond, isOutside } = predict({
      ...{ ...times, serving, batchSize, requestCount: simulatedRequests },
      arrivals: isOpen ? { kind: 'poisson', ...load } : { kind: 'closed', ...load },
    });
    if (predictedLatency === null) return null;
    return {
      load: isOpen ? load.requestRate : load.concurrency,
      inferencesPerSecond: predictedInferencesPerSecond,
      latencyUs: latencyAt(predictedLatency, search.target.percentile),
      isOutside,
    };
  };
  const misses = measured.flatMap(({ step, inferencesPerSecond, looks }) => {
    const predicted = of(step);
    if (predicted === null) return [];
    const latencyUs = medianOf(looks.map((look) => look.latencyUs));
    return [
      Math.abs(predicted.inferencesPerSecond / Math.max(1e-9, inferencesPerSecond) - 1),
      Math.abs(predicted.latencyUs / Math.max(1, latencyUs) - 1),
    ];
  });
  if (misses.length === 0 || medianOf(misses) > mostMiss) return [];
  const loads = stepsUpTo(search, measured).flatMap((step) => {
    const predicted = of(step);
    if (predicted === null || predicted.isOutside) return [];
    const { load, inferencesPerSecond, latencyUs } = predicted;
    return [{ load, inferencesPerSecond, latencyUs }];
  });
  return loads.length < fewestLoads ? [] : loads;
}
