import type { LoadPoint } from '../../contract/measured/results';
import { createReplay, createSchedule } from '../arrivals/intervals';

export type Arrivals =
  /** Connections that each send the next request once the last is answered. */
  | { readonly kind: 'closed'; readonly concurrency: number }
  /** Requests per second at seeded Poisson times, independent of answers. */
  | { readonly kind: 'poisson'; readonly requestRate: number }
  /** Bursts, or more even than Poisson. */
  | { readonly kind: 'gamma'; readonly requestRate: number; readonly burstiness: number }
  | { readonly kind: 'constant'; readonly requestRate: number }
  /** Microseconds, ascending; with rows per request where they differ. */
  | { readonly kind: 'recorded'; readonly timesUs: readonly number[]; readonly rows?: readonly number[] };

export interface ArrivalSource {
  /** Microseconds; Infinity: none is known to be due. */
  readonly nextUs: number;
  shift(): void;
  /** An answered request lets its connection send the next one. */
  answered(atUs: number): void;
}

function closedSource(concurrency: number, count: number): ArrivalSource {
  // Answers come in order of time, and so do the following requests.
  const dueUs: number[] = Array.from({ length: Math.min(concurrency, count) }, () => 0);
  let head = 0;
  return {
    get nextUs() {
      return dueUs[head] ?? Infinity;
    },
    shift: () => {
      head += 1;
    },
    answered: (atUs) => {
      if (dueUs.length < count) dueUs.push(atUs);
    },
  };
}

function openSource(nextInterval: () => number, count: number): ArrivalSource {
  let sent = 0;
  let nextUs = count === 0 ? Infinity : nextInterval();
  return {
    get nextUs() {
      return nextUs;
    },
    shift: () => {
      sent += 1;
      nextUs = sent < count ? nextUs + nextInterval() : Infinity;
    },
    answered: () => undefined,
  };
}

/** @param count number of requests; recorded times are all used */
export function arrivalSource(arrivals: Arrivals, count: number, seed: number): ArrivalSource {
  switch (arrivals.kind) {
    case 'closed':
      return closedSource(arrivals.concurrency, count);
    case 'recorded':
      return openSource(createReplay(arrivals.timesUs), arrivals.timesUs.length);
    case 'constant':
    case 'poisson':
    case 'gamma': {
      const { kind: distribution, requestRate: rate, ...scatter } = arrivals;
      return openSource(createSchedule({ rate, distribution, seed, intervalsUs: [], ...scatter }), count);
    }
  }
}

/** The load that a level was measured with. */
export function arrivalsOfLevel({
  requestRate,
  requestDistribution,
  burstiness = 1,
  concurrency,
}: Pick<LoadPoint, 'requestRate' | 'requestDistribution' | 'burstiness' | 'concurrency'>): Exclude<
  Arrivals,
  { kind: 'recorded' }
> {
  if (requestRate === undefined) return { kind: 'closed', concurrency };
  if (requestDistribution === 'gamma') return { kind: 'gamma', requestRate, burstiness };
  return { kind: requestDistribution === 'poisson' ? 'poisson' : 'constant', requestRate };
}
