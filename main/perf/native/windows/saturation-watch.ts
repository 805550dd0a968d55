import { scatterOf } from '../../../domain/arrivals/intervals';
import { isOverSaturated, type LoadSample } from '../../../domain/measured/overload/over-saturation';
import type { LoadJob } from '../seam/load-job';

interface Read {
  /** Requests that are due and not answered. */
  readonly inFlight: number;
  /** Latencies from the schedule of the current window so far. */
  readonly count: number;
  readonly sumUs: number;
}

const samplesPerWindow = 20;
const shortestMs = 25;
/** Older samples are of a time that is over. */
const mostSamples = 400;

/** How often an open level is looked at; null: it is not, as a closed one cannot queue without end. */
export const watchMsOf = ({
  schedule,
  replay,
  intervalMs,
}: Pick<LoadJob, 'schedule' | 'replay' | 'intervalMs'>) =>
  schedule === null || schedule.intervalsUs.length > 0 || replay !== undefined
    ? null
    : Math.max(shortestMs, intervalMs / samplesPerWindow);

/** Looks at an open level from its first window on. */
export class SaturationWatch {
  private readonly samples: LoadSample[] = [];
  private last: Pick<Read, 'count' | 'sumUs'> = { count: 0, sumUs: 0 };

  constructor(
    private readonly schedule: NonNullable<LoadJob['schedule']>,
    private readonly everyMs: number,
  ) {}

  /** Whether more is due than the server answers. */
  look({ inFlight, count, sumUs }: Read): boolean {
    // Smaller than before: another window began.
    const before = count < this.last.count ? { count: 0, sumUs: 0 } : this.last;
    const ended = count - before.count;
    this.samples.push({ inFlight, latencyUs: ended === 0 ? null : (sumUs - before.sumUs) / ended });
    this.last = { count, sumUs };
    if (this.samples.length > mostSamples) this.samples.shift();
    const { samples, schedule, everyMs } = this;
    const requests = (schedule.rate * samples.length * everyMs) / 1000;
    return isOverSaturated(samples, { requests, scatter: scatterOf(schedule) });
  }
}
