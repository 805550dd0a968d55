import type { Candidate, Look, SearchStrategy } from '../../main/contract/study/search';
import { predict, type PredictInput, type Prediction } from '../../main/domain/predict/predict';
import type { DueLook } from '../../main/domain/study/search/next-looks';

/** A search over a Triton that is simulated with known execution times. */
export const configuration = (change: Partial<Candidate>): Candidate => ({
  ...{ instances: 1, maxBatchSize: 4, batching: 'dynamic', preferredBatchSizes: [], maxQueueDelayUs: 0 },
  ...{ threads: 1, ...change },
});
export const space = [1, 2].flatMap((instances) =>
  [4, 8, 16].flatMap((maxBatchSize) =>
    [0, 2000].map((maxQueueDelayUs) => configuration({ instances, maxBatchSize, maxQueueDelayUs })),
  ),
);
export const closed: SearchStrategy = {
  ...{ kind: 'search', runId: 'run', candidates: space, budgetS: 600, lookMs: 600, fullMs: 2000 },
  load: { kind: 'closed', batchSize: 1, concurrency: [1, 2, 4, 8, 16, 32, 64] },
  target: { percentile: 99, latencyUs: 40_000, errorPercentage: 1 },
};
export const open: SearchStrategy = {
  ...closed,
  ...{ lookMs: 1500, fullMs: 6000 },
  load: { kind: 'open', batchSize: 1 },
};

/** 3.5 ms a batch and 0.7 ms a row; two instances slow each other down by a third. */
const computeUs = (batch: number, busy: number): number => (3500 + 700 * batch) * (busy === 1 ? 1 : 1.33);
const sizes = Array.from({ length: 16 }, (_unused, at) => at + 1);
export const truth = {
  serviceTimes: [1, 2].flatMap((busyInstances) =>
    sizes.map((batch) => ({ batch, busyInstances, computeUs: computeUs(batch, busyInstances) })),
  ),
  overhead: { fixedUs: 300, perAnswerUs: 50 },
};

const simulated = new Map<string, Prediction>();

/** About normal, of deviation 1. */
const chanceOf = (random: () => number): number => 2 * (random() + random() + random() - 1.5);

/** A simulated Triton; the noise is that of whole looks. */
export function measure(candidate: Candidate, due: DueLook, random: () => number): Look {
  const { load } = due;
  const arrivals: PredictInput['arrivals'] =
    'concurrency' in load
      ? { kind: 'closed', concurrency: load.concurrency }
      : { kind: 'poisson', requestRate: load.requestRate };
  const key = JSON.stringify([candidate, arrivals]);
  const served =
    simulated.get(key) ?? predict({ ...truth, serving: candidate, arrivals, requestCount: 3000, seed: 7 });
  simulated.set(key, served);
  const off = () => 1 + 0.05 * (2 * random() - 1);
  const { avgUs, p99Us } = served.predictedLatency ?? { avgUs: 1e6, p99Us: 1e6 };
  const other = { p50Us: avgUs, p90Us: p99Us, p95Us: p99Us, p99Us };
  const busy = candidate.instances;
  const answered = served.predictedInferencesPerSecond;
  // Of a Poisson process as many come as come.
  const windowS = (due.ms - Math.min(500, due.ms / 3)) / 1000;
  const wanted = answered * windowS;
  const requestCount = Math.round(wanted + chanceOf(random) * Math.sqrt(wanted));
  const inferencesPerSecond = 'concurrency' in load ? answered * off() : requestCount / windowS;
  return {
    ...{ candidate: due.candidate, phase: due.phase, load, seconds: due.ms / 1000, errorCount: 0 },
    ...{ inferencesPerSecond, latencyUs: p99Us * off() },
    ...{ requestCount, meanServerBatch: served.predictedMeanBatch },
    serverQueueUs: served.predictedQueueUs ?? 5e5,
    measured: {
      ...{ avgUs, ...other },
      executedBatches: sizes
        .slice(0, candidate.maxBatchSize)
        .map((batchSize) => ({ batchSize, count: 20, computeUs: computeUs(batchSize, busy) * off() })),
    },
  };
}
