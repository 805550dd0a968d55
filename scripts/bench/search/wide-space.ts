import type { Candidate } from '../../../main/contract/study/search';

/** The 48 configurations of the search benches: candidates by their load, closed, within 40 ms of p99. */
export const wideSpace = {
  instances: [1, 2, 3],
  maxBatchSizes: [4, 8, 16, 32],
  concurrency: [4, 8, 16, 32],
  latencyUs: 40_000,
} as const;

/** Dynamic batching without a delay, one thread an instance. */
export const wideCandidates: readonly Candidate[] = wideSpace.instances.flatMap((instances) =>
  wideSpace.maxBatchSizes.map((maxBatchSize) => ({
    ...{ instances, maxBatchSize, batching: 'dynamic' as const, preferredBatchSizes: [] },
    ...{ maxQueueDelayUs: 0, threads: 1 },
  })),
);
