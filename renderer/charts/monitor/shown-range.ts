/** An axis is never shorter. */
const leastMs = 10_000;
/** A tenth of the axis at most is empty, and the axis changes in a few dozen steps from its least length to a day. */
const growth = 1.1;

/**
 * Length of the time axis: what was measured and little more, up to the chosen range.
 * @param elapsedMs since the first sample
 */
export function shownRangeMs(elapsedMs: number, chosenMs: number): number {
  const steps = Math.max(0, Math.ceil(Math.log(Math.max(elapsedMs, 1) / leastMs) / Math.log(growth)));
  return Math.min(chosenMs, Math.ceil((leastMs * growth ** steps) / 1000) * 1000);
}
