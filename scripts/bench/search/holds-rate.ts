import type { Look } from '../../../main/contract/study/search';

/** Of requests that were due, the share that is to be answered in time, and the percentage that may fail. */
const heldShare = 0.97;
const mostFailedPercent = 1;

/** Whether a measurement at a rate of single inferences holds it within the target, as the search says it. */
export function holdsRate(
  { load, inferencesPerSecond, latencyUs, requestCount, errorCount }: Look,
  targetUs: number,
) {
  const due = 'requestRate' in load ? load.requestRate : 0;
  const failed = (100 * errorCount) / Math.max(1, requestCount + errorCount);
  return latencyUs <= targetUs && inferencesPerSecond >= heldShare * due && failed <= mostFailedPercent;
}
