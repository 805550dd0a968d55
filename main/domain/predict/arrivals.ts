import { createRandom } from '../random';

/** How requests arrive. */
export type Arrivals =
  /** So many connections, each with its next request as soon as the last one is answered. */
  | { readonly kind: 'closed'; readonly concurrency: number }
  /** Requests per second at seeded times of a Poisson process, answered or not. */
  | { readonly kind: 'poisson'; readonly requestRate: number }
  | { readonly kind: 'constant'; readonly requestRate: number }
  /** Microseconds, ascending; with the rows of each request where they differ. */
  | { readonly kind: 'recorded'; readonly timesUs: readonly number[]; readonly rows?: readonly number[] };

/** When requests arrive, one after the other. */
export interface ArrivalSource {
  /** Microseconds; Infinity: none is due as far as is known. */
  readonly nextUs: number;
  /** The next one has arrived. */
  shift(): void;
  /** A request was answered: its connection sends the next one. */
  answered(atUs: number): void;
}

function closedSource(concurrency: number, count: number): ArrivalSource {
  // Answers come in the order of time, and so do the requests after them.
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

/** @param count requests in all; of recorded times all are sent. */
export function arrivalSource(arrivals: Arrivals, count: number, seed: number): ArrivalSource {
  switch (arrivals.kind) {
    case 'closed':
      return closedSource(arrivals.concurrency, count);
    case 'constant':
      return openSource(() => 1e6 / arrivals.requestRate, count);
    case 'poisson': {
      const next = createRandom(seed);
      return openSource(() => (-Math.log(1 - next()) * 1e6) / arrivals.requestRate, count);
    }
    case 'recorded': {
      const { timesUs } = arrivals;
      let sent = 0;
      let lastUs = 0;
      const interval = () => {
        const us = (timesUs[sent] ?? lastUs) - lastUs;
        lastUs = timesUs[sent] ?? lastUs;
        sent += 1;
        return us;
      };
      return openSource(interval, timesUs.length);
    }
  }
}
