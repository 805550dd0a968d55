import type { RequestDistribution } from '../../contract/run/run-spec';
import { createRandom, normals } from '../random';

/** The one home of arrivals: the load generator, replays, stages and predictions take their times from this folder. */

/** How times between requests scatter around their mean. */
export interface Scatter {
  readonly distribution: RequestDistribution;
  /** Of `poisson` and `gamma`, 0 to 2^32 - 1. */
  readonly seed: number;
  /** Shape of `gamma`: 1 is Poisson, less comes in bursts, more is even. */
  readonly burstiness?: number | undefined;
}

export interface ScheduleInput extends Scatter {
  readonly rate: number;
  /** Microseconds, repeated; override rate and distribution if not empty. */
  readonly intervalsUs: readonly number[];
  /** The rate rises evenly from 0 for so long. */
  readonly rampUpUs?: number | undefined;
}

/** Gamma values of mean 1 (Marsaglia and Tsang, 2000). @param shape above 0 */
function gammas(shape: number, next: () => number): () => number {
  const normal = normals(next);
  // Below 1: of the shape above, times a power of a uniform value.
  const isSmall = shape < 1;
  const d = (isSmall ? shape + 1 : shape) - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  const large = (): number => {
    for (;;) {
      const x = normal();
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - next()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  };
  return () => (isSmall ? large() * (1 - next()) ** (1 / shape) : large()) / shape;
}

/** Times between requests as multiples of their mean. */
export function unitIntervals({ distribution, seed, burstiness = 1 }: Scatter): () => number {
  if (distribution === 'constant') return () => 1;
  const next = createRandom(seed);
  if (distribution === 'gamma' && burstiness !== 1) return gammas(burstiness, next);
  // 1 - u is in (0, 1], so its logarithm is finite.
  return () => -Math.log(1 - next());
}

/** Squared coefficient of variation of the intervals: 0 of even ones, 1 of Poisson. */
export function scatterOf({
  distribution,
  burstiness = 1,
}: Pick<Scatter, 'distribution' | 'burstiness'>): number {
  if (distribution === 'constant') return 0;
  return distribution === 'gamma' ? 1 / burstiness : 1;
}

/** Intervals of a rate that rises evenly: the area below it is that of half the time at the whole rate. */
function ramped(next: () => number, rampUpUs: number): () => number {
  let area = 0;
  let atUs = 0;
  return () => {
    if (area >= rampUpUs / 2) return next();
    area += next();
    const dueUs = area < rampUpUs / 2 ? Math.sqrt(2 * rampUpUs * area) : area + rampUpUs / 2;
    const intervalUs = dueUs - atUs;
    atUs = dueUs;
    return intervalUs;
  };
}

/** Microseconds between requests: of a seeded process of the rate, or the given ones in turn. */
export function createSchedule({ rate, intervalsUs, rampUpUs = 0, ...scatter }: ScheduleInput): () => number {
  if (intervalsUs.length > 0) {
    let at = 0;
    return () => {
      const interval = intervalsUs[at] ?? 0;
      at = (at + 1) % intervalsUs.length;
      return interval;
    };
  }
  const meanUs = 1e6 / rate;
  const unit = unitIntervals(scatter);
  const even = scatter.distribution === 'constant' ? () => meanUs : () => unit() * meanUs;
  return rampUpUs > 0 ? ramped(even, rampUpUs) : even;
}

/** The times between requests that are due at given times, the first from the start; none is due after the last. */
export function createReplay(atUs: ArrayLike<number>): () => number {
  let at = 0;
  return () => {
    const interval = (atUs[at] ?? Infinity) - (atUs[at - 1] ?? 0);
    at += 1;
    return interval;
  };
}
