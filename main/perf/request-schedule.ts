import type { RequestDistribution, SequenceSettings } from '../contract/run/run-spec';
import { createRandom } from '../domain/random';
import { largestOf } from '../domain/statistics';

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

/**
 * Length and variation of the sequences that are sent: those asked for, or, where the input data have streams, those of
 * the streams: the mean, and by how many percent of it the farthest one lies away. Pure.
 */
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
