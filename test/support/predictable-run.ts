import type { LoadPoint } from '../../main/contract/measured/results';
import type { RunSpec } from '../../main/contract/run/run-spec';
import type { RunState } from '../../main/contract/run/run-state';
import { predict } from '../../main/domain/predict/predict';
import { createdBodies, measurementBody, pointFixture, specFixture, stateOf } from './run-state';

/** 1 ms for an execution, and 0.5 ms for each of its rows. */
const computeUs = (rows: number): number => 1000 + 500 * rows;
const sizes = [1, 2, 3, 4, 5, 6, 7, 8];
const overhead = { fixedUs: 300, perAnswerUs: 20 };

/** What a server of batches up to eight on one instance would have measured: simulated with the times above. */
export function simulatedLevel(concurrency: number): LoadPoint {
  const { predictedInferencesPerSecond, predictedLatency, predictedQueueUs, predictedMeanBatch } = predict({
    serviceTimes: sizes.map((batch) => ({ batch, busyInstances: 1, computeUs: computeUs(batch) })),
    serving: {
      ...{ maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [], maxQueueDelayUs: 0, instances: 1 },
    },
    ...{ overhead, arrivals: { kind: 'closed', concurrency } },
  });
  const meanServerBatch = predictedMeanBatch ?? 1;
  const { avgUs = 0, p50Us = 0, p90Us = 0, p95Us = 0, p99Us = 0 } = predictedLatency ?? {};
  const queueUs = predictedQueueUs ?? 0;
  return pointFixture({
    ...{ concurrency, inferencesPerSecond: predictedInferencesPerSecond, avgUs, p50Us, p90Us, p95Us, p99Us },
    ...{ meanServerBatch, serverQueueUs: queueUs, serverComputeInputUs: 0, serverComputeOutputUs: 0 },
    serverComputeInferUs: computeUs(meanServerBatch),
    executedBatches: sizes
      .filter((size) => size <= Math.max(1, concurrency))
      .map((batchSize) => ({ batchSize, count: 100, computeUs: computeUs(batchSize) })),
  });
}

/** A finished run of such a server at concurrency 1, 4, 16 and 32. */
export function predictableState(change: (spec: RunSpec) => void = () => undefined): RunState {
  const spec = specFixture((given) => {
    Object.assign(given.configure, {
      ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [], maxQueueDelayUs: 0 },
    });
    change(given);
  });
  return stateOf([
    ...createdBodies(spec),
    ...[1, 4, 16, 32].map((concurrency) => measurementBody('online', simulatedLevel(concurrency))),
    { type: 'run-finished', outcome: 'done' },
  ]);
}
