import type { Stage } from '../../contract/load/stages';
import { type Scatter, unitIntervals } from './intervals';

/** Time within a stage at which so many requests were due: the rate changes evenly, so they are a square. */
function timeOf({ fromRate, toRate, seconds }: Stage, count: number): number {
  const slope = (toRate - fromRate) / seconds;
  if (Math.abs(slope) * seconds < 1e-9 * (fromRate + toRate)) return count / fromRate;
  return (2 * count) / (fromRate + Math.sqrt(Math.max(0, fromRate * fromRate + 2 * slope * count)));
}

/**
 * When each request of the stages is due, microseconds from the start, ascending. The process of mean 1 is stretched so that
 * its rate is that of the stage at every moment.
 */
export function stagedTimes(stages: readonly Stage[], scatter: Scatter): Float64Array {
  const next = unitIntervals(scatter);
  const times: number[] = [];
  let startS = 0;
  let before = 0;
  let due = next();
  for (const stage of stages) {
    const inStage = ((stage.fromRate + stage.toRate) / 2) * stage.seconds;
    // The last of even intervals would miss its stage by rounding.
    while (due <= before + inStage + 1e-9) {
      times.push(1e6 * (startS + Math.min(stage.seconds, timeOf(stage, due - before))));
      due += next();
    }
    before += inStage;
    startS += stage.seconds;
  }
  return Float64Array.from(times);
}

/** Where the stages are above a rate, microseconds from the start: from the first such moment to the last; null: nowhere. */
export function spanAbove(
  stages: readonly Stage[],
  rate: number,
): { readonly fromUs: number; readonly toUs: number } | null {
  let [fromS, toS, startS] = [Infinity, -Infinity, 0];
  for (const { fromRate, toRate, seconds } of stages) {
    const crossing = (): number => startS + ((rate - fromRate) / (toRate - fromRate)) * seconds;
    if (Math.max(fromRate, toRate) > rate * (1 + 1e-9)) {
      fromS = Math.min(fromS, fromRate >= rate ? startS : crossing());
      toS = Math.max(toS, toRate >= rate ? startS + seconds : crossing());
    }
    startS += seconds;
  }
  return toS > fromS ? { fromUs: 1e6 * fromS, toUs: 1e6 * toS } : null;
}
