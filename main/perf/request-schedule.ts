import type { RequestDistribution } from '../contract/run-spec';
import { createRandom } from './random';

export interface ScheduleInput {
  /** Requests a second. */
  readonly rate: number;
  readonly distribution: RequestDistribution;
  /** Of `poisson`, from 0 to 2^32 - 1: the same seed gives the same times. */
  readonly seed: number;
  /** Microseconds, repeated; they win over rate and distribution where there are any. */
  readonly intervalsUs: readonly number[];
}

/**
 * The times between requests, one a call, in microseconds: all the same, exponentially distributed around the same mean
 * (a Poisson process, seeded), or the given ones in turn.
 */
export function createSchedule({ rate, distribution, seed, intervalsUs }: ScheduleInput): () => number {
  if (intervalsUs.length > 0) {
    let at = 0;
    return () => {
      const interval = intervalsUs[at] ?? 0;
      at = (at + 1) % intervalsUs.length;
      return interval;
    };
  }
  const meanUs = 1e6 / rate;
  if (distribution === 'constant') return () => meanUs;
  const next = createRandom(seed);
  // 1 - u lies in (0, 1]: its logarithm is finite.
  return () => -Math.log(1 - next()) * meanUs;
}
