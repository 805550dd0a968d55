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

/** Rise over all values by least squares; 0 where the slope is not significant at 99 %. */
function risen(values: readonly number[]): number {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const middle = (count - 1) / 2;
  const squares = values.reduce((sum, _value, index) => sum + (index - middle) ** 2, 0);
  const slope = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0) / squares;
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
/** Latency has to grow by this share of its mean. */
const leastLatencyShare = 0.2;

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
  const most = samples.reduce((largest, { inFlight }) => Math.max(largest, inFlight), 0);
  if ((samples.at(-1)?.inFlight ?? 0) < stillShare * most) return false;
  const waiting = risen(samples.map(({ inFlight }) => inFlight));
  const limit = Math.max(leastWaiting, leastShare * requests, chance * Math.sqrt(scatter * requests));
  if (waiting <= limit) return false;
  const mean = latencies.reduce((sum, value) => sum + value, 0) / latencies.length;
  return risen(latencies) > leastLatencyShare * mean;
}
