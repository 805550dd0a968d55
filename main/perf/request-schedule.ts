import type { RequestDistribution, SequenceSettings } from '../contract/run/run-spec';
import { createRandom } from '../domain/random';
import { largestOf } from '../domain/statistics';

export interface ScheduleInput {
  readonly rate: number;
  readonly distribution: RequestDistribution;
  /** Seed of `poisson`, 0 to 2^32 - 1. */
  readonly seed: number;
  /** Microseconds, repeated; override rate and distribution if not empty. */
  readonly intervalsUs: readonly number[];
}

/** Microseconds between requests: constant, exponential (a seeded Poisson process), or the given ones in turn. */
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
  // 1 - u is in (0, 1], so its logarithm is finite.
  return () => -Math.log(1 - next()) * meanUs;
}

/** The times between requests that are due at given times, the first from the start; none is due after the last. */
export function createReplay(atUs: Float64Array): () => number {
  let at = 0;
  return () => {
    const interval = (atUs[at] ?? Infinity) - (atUs[at - 1] ?? 0);
    at += 1;
    return interval;
  };
}

/** Requested length and variation, or for streams their mean and maximum deviation in percent. */
export function sequenceLengths(
  settings: SequenceSettings,
  streams: readonly number[] | undefined,
): { readonly length: number; readonly lengthVariation: number } {
  const { length, lengthVariation } = settings;
  if (streams === undefined || streams.length === 0) return { length, lengthVariation };
  const mean = streams.reduce((sum, one) => sum + one, 0) / streams.length;
  const farthest = largestOf(streams.map((one) => Math.abs(one - mean)));
  return { length: Math.max(1, Math.round(mean)), lengthVariation: (100 * farthest) / mean };
}
