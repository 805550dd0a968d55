import { largestOf } from '../../statistics';

/** Taken at even times of an open level. */
export interface LoadSample {
  /** Requests that are due and not answered, sent or not. */
  readonly inFlight: number;
  /** Mean latency from the schedule of the requests that ended since the sample before; null: none did. */
  readonly latencyUs: number | null;
}

const fewestSamples = 12;
/** Two-sided 99 % quantile of Student's t with 10 degrees of freedom; more samples use it too, which is stricter. */
const slopeLimit = 3.169;

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const squaresOf = (count: number): number => (count * (count ** 2 - 1)) / 12;

/** Per sample, by least squares. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  return (
    values.reduce((sum, value, index) => sum + (index - middle) * value, 0) /
    Math.max(1, squaresOf(values.length))
  );
}

/** Rise over all values by least squares; 0 where the slope is not significant at 99 %. */
function risen(values: readonly number[]): number {
  const count = values.length;
  const mean = meanOf(values);
  const middle = (count - 1) / 2;
  const squares = squaresOf(count);
  const slope = slopeOf(values);
  const rest = values.reduce((sum, value, index) => sum + (value - mean - slope * (index - middle)) ** 2, 0);
  const deviation = Math.sqrt(rest / (count - 2) / squares);
  return slope > slopeLimit * deviation ? slope * (count - 1) : 0;
}

/** A process at its limit drifts by the root of the requests; so many times that is not chance. */
const chance = 4;
/** Smaller shares of the requests are caught up with in the next lull. */
const leastShare = 0.02;
/** Fewer waiting requests tell nothing. */
const leastWaiting = 10;
/** A server that stood still works its backlog off: then fewer wait than at the most. */
const stillShare = 0.9;
/** A queue without end rises in each third of the time: by this share of the whole rise from one to the next. */
const leastThird = 0.2;
/** In the last third it rises as it does in all, by this share at least. */
const leastLast = 0.5;
/** Latency has to grow by this share of its mean. */
const leastLatencyShare = 0.2;

/** The rise is that of the whole time, and still going on: not a moment in which the server stood still. */
function isSteadyRise(inFlight: readonly number[], rise: number): boolean {
  const third = Math.floor(inFlight.length / 3);
  const [first, middle, last] = [
    inFlight.slice(0, third),
    inFlight.slice(third, -third),
    inFlight.slice(-third),
  ].map(meanOf) as [number, number, number];
  const isSpread = middle - first >= leastThird * rise && last - middle >= leastThird * rise;
  return isSpread && slopeOf(inFlight.slice(-third)) >= leastLast * slopeOf(inFlight);
}

/**
 * Whether an open level is given more than the server answers: requests in flight and latency both rise, significantly and
 * by more than arrivals scatter. Consecutive samples depend on each other, so the test of the slope would not be enough.
 * @param requests that were due over the samples. @param scatter squared coefficient of variation of their intervals
 */
export function isOverSaturated(
  samples: readonly LoadSample[],
  { requests, scatter }: { readonly requests: number; readonly scatter: number },
): boolean {
  const latencies = samples.flatMap(({ latencyUs }) => latencyUs ?? []);
  if (samples.length < fewestSamples || latencies.length < fewestSamples) return false;
  const inFlight = samples.map((sample) => sample.inFlight);
  if ((inFlight.at(-1) ?? 0) < stillShare * largestOf(inFlight)) return false;
  const waiting = risen(inFlight);
  const limit = Math.max(leastWaiting, leastShare * requests, chance * Math.sqrt(scatter * requests));
  if (waiting <= limit || !isSteadyRise(inFlight, waiting)) return false;
  return risen(latencies) > leastLatencyShare * meanOf(latencies);
}
