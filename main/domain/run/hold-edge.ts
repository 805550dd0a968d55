import { largestOf, smallestOf } from '../statistics';

/** A rate of a ramp, and whether the target was kept at it. */
export interface TriedRate {
  readonly step: number;
  readonly held: boolean;
}

/** Two rates differ by 5 %; a ramp doubles its rate until the target fails. */
const ratio = 1.05;
const stride = 14;
/** Below it there is no rate to speak of. */
const lowestShare = 1 / 1000;

/** Requests a second of a step from where the ramp begins. */
export const rateOfStep = (start: number, step: number): number =>
  Number((start * ratio ** step).toPrecision(3));

const firstFailing = (tried: readonly TriedRate[]): number =>
  smallestOf(tried.filter(({ held }) => !held).map(({ step }) => step));

/** The highest step of a ramp below any that failed; null: none. Pure. */
export function edgeOfRamp(tried: readonly TriedRate[]): number | null {
  const beyond = firstFailing(tried);
  const below = tried.filter(({ step, held }) => held && step < beyond).map(({ step }) => step);
  return below.length === 0 ? null : largestOf(below);
}

/** The next step of a ramp; null: its edge is known, or there is none. Pure. @param most requests a second */
export function nextRampStep(start: number, most: number, tried: readonly TriedRate[]): number | null {
  const last = Math.floor(Math.log(Math.max(1, most / start)) / Math.log(ratio));
  const beyond = Math.min(last + 1, firstFailing(tried));
  const highest = edgeOfRamp(tried);
  if (highest === null) {
    if (tried.length === 0) return 0;
    const lower = beyond - stride;
    return rateOfStep(start, lower) < lowestShare * start ? null : lower;
  }
  if (highest + 1 >= beyond) return null;
  const isOpen = !tried.some(({ held }) => !held);
  return isOpen ? Math.min(last, highest + stride) : Math.floor((highest + beyond) / 2);
}
