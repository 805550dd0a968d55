export interface OnlineConcurrencyInput {
  readonly maxBatchSize: number;
  /** Instances of the model on one Triton. */
  readonly modelInstances: number;
  readonly tritonInstances?: number;
  /** Largest concurrency; the seeds use 256, the one for Wide & Deep 128. */
  readonly cap?: number;
}

export interface OnlineConcurrency {
  /** Items of each request. */
  readonly batchSize: number;
  readonly concurrency: readonly number[];
}

const defaultCap = 256;
const steps = 32;

/**
 * The seeds' online sweep: twice as many items under way as all instances take at once, spread over at most `cap`
 * requests, in about 32 steps. Throws a RangeError unless the numbers are positive integers.
 */
export function onlineConcurrency(input: OnlineConcurrencyInput): OnlineConcurrency {
  const { maxBatchSize, modelInstances, tritonInstances = 1, cap = defaultCap } = input;
  for (const value of [maxBatchSize, modelInstances, tritonInstances, cap]) {
    if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`${value} is not a positive integer`);
  }
  const total = 2 * maxBatchSize * tritonInstances * modelInstances;
  const highest = Math.min(cap, total);
  const step = Math.max(1, Math.floor(highest / steps));
  const concurrency: number[] = [];
  for (let value = step; value <= highest; value += step) concurrency.push(value);
  return { batchSize: Math.max(1, Math.floor(total / cap)), concurrency };
}
