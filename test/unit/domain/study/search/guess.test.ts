import { describe, expect, it } from 'vitest';
import type { Candidate, Look, SearchStrategy } from '../../../../../main/contract/study/search';
import { predict, type PredictInput, type Prediction } from '../../../../../main/domain/predict/predict';
import { createRandom } from '../../../../../main/domain/random';
import { type Guesses, guessesOf, noGuesses } from '../../../../../main/domain/study/search/guess';
import {
  type DueLook,
  nextLooks,
  secondsOf,
  standingOf,
} from '../../../../../main/domain/study/search/next-looks';

const configuration = (change: Partial<Candidate>): Candidate => ({
  ...{ instances: 1, maxBatchSize: 4, batching: 'dynamic', preferredBatchSizes: [], maxQueueDelayUs: 0 },
  ...{ threads: 1, ...change },
});
const space = [1, 2].flatMap((instances) =>
  [4, 8, 16].flatMap((maxBatchSize) =>
    [0, 2000].map((maxQueueDelayUs) => configuration({ instances, maxBatchSize, maxQueueDelayUs })),
  ),
);
const closed: SearchStrategy = {
  ...{ kind: 'search', runId: 'run', candidates: space, budgetS: 600, lookMs: 600, fullMs: 2000 },
  load: { kind: 'closed', batchSize: 1, concurrency: [1, 2, 4, 8, 16, 32, 64] },
  target: { percentile: 99, latencyUs: 40_000, errorPercentage: 1 },
};
const open: SearchStrategy = { ...closed, load: { kind: 'open', batchSize: 1 } };

/** 3.5 ms a batch and 0.7 ms a row; two instances slow each other down by a third. */
const computeUs = (batch: number, busy: number): number => (3500 + 700 * batch) * (busy === 1 ? 1 : 1.33);
const sizes = Array.from({ length: 16 }, (_unused, at) => at + 1);
const truth = {
  serviceTimes: [1, 2].flatMap((busyInstances) =>
    sizes.map((batch) => ({ batch, busyInstances, computeUs: computeUs(batch, busyInstances) })),
  ),
  overhead: { fixedUs: 300, perAnswerUs: 50 },
};

const simulated = new Map<string, Prediction>();

/** A simulated Triton; the noise is that of whole looks. */
function measure(candidate: Candidate, due: DueLook, random: () => number): Look {
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
  return {
    ...{ candidate: due.candidate, phase: due.phase, load, seconds: due.ms / 1000, errorCount: 0 },
    ...{ inferencesPerSecond: served.predictedInferencesPerSecond * off(), latencyUs: p99Us * off() },
    ...{ requestCount: 500, meanServerBatch: served.predictedMeanBatch },
    serverQueueUs: served.predictedQueueUs ?? 5e5,
    measured: {
      ...{ avgUs, ...other },
      executedBatches: sizes
        .slice(0, candidate.maxBatchSize)
        .map((batchSize) => ({ batchSize, count: 20, computeUs: computeUs(batchSize, busy) * off() })),
    },
  };
}

function searchWith(search: SearchStrategy, seed: number, guesses: (looks: readonly Look[]) => Guesses) {
  const random = createRandom(seed);
  const looks: Look[] = [];
  for (let round = 0; round < 500; round += 1) {
    const due = nextLooks(search, { looks, failed: {} }, guesses(looks));
    if (due.length === 0) return { looks, winner: standingOf(search, { looks, failed: {} }).winner };
    for (const one of due) {
      const candidate = search.candidates[one.candidate - 1];
      if (candidate === undefined) throw new Error(`No candidate ${one.candidate}`);
      looks.push(measure(candidate, one, random));
    }
  }
  throw new Error('The search does not end');
}

const looked = (search: SearchStrategy): readonly Look[] => {
  const random = createRandom(1);
  return nextLooks(search, { looks: [], failed: {} }).map((due) =>
    measure(search.candidates[due.candidate - 1] as Candidate, due, random),
  );
};

describe('guesses from the first looks', () => {
  it('order the candidates nearly as their true values do', () => {
    const guesses = guessesOf(closed, { looks: looked(closed), failed: {} });
    const valueOf = (candidate: Candidate): number =>
      Math.max(
        ...[1, 2, 4, 8, 16, 32, 64].map((concurrency) => {
          const served = predict({ ...truth, serving: candidate, arrivals: { kind: 'closed', concurrency } });
          return (served.predictedLatency?.p99Us ?? Infinity) <= 40_000
            ? served.predictedInferencesPerSecond
            : 0;
        }),
      );
    const best = space.map(valueOf);
    space.forEach((_candidate, at) => {
      const guess = guesses(at + 1)?.inferencesPerSecond ?? 0;
      expect(Math.abs(guess / (best[at] ?? 1) - 1)).toBeLessThan(0.35);
    });
    const guessed = space.map((_candidate, at) => guesses(at + 1)?.inferencesPerSecond ?? 0);
    expect(best[guessed.indexOf(Math.max(...guessed))]).toBeGreaterThan(0.9 * Math.max(...best));
  });

  it('are none without execution times, of threads that no look had, and for another objective', () => {
    const looks = looked(closed);
    const bare = looks.map((look) => ({ ...look, measured: undefined }));
    expect(guessesOf(closed, { looks: bare, failed: {} })(1)).toBeNull();
    const candidates = [...space, configuration({ threads: 4 })];
    expect(guessesOf({ ...closed, candidates }, { looks, failed: {} })(candidates.length)).toBeNull();
    const fastest = { ...closed, objective: { kind: 'latency' as const } };
    expect(guessesOf(fastest, { looks, failed: {} })(1)).toBeNull();
  });
});

describe.each([
  ['closed', closed],
  ['open', open],
] as const)('a search under %s load', (_kind, search) => {
  it('takes no longer with guesses, and comes to as much', () => {
    const found = [1, 2].map((seed) => ({
      plain: searchWith(search, seed, () => noGuesses),
      guided: searchWith(search, seed, (looks) => guessesOf(search, { looks, failed: {} })),
    }));
    const secondsOfAll = (name: 'plain' | 'guided') =>
      found.reduce((sum, one) => sum + secondsOf({ looks: one[name].looks, failed: {} }), 0);
    const valueOfAll = (name: 'plain' | 'guided') =>
      found.reduce((sum, one) => sum + (one[name].winner?.value ?? 0), 0);
    expect(secondsOfAll('guided')).toBeLessThanOrEqual(1.02 * secondsOfAll('plain'));
    expect(valueOfAll('guided')).toBeGreaterThanOrEqual(0.97 * valueOfAll('plain'));
  }, 60_000);
});
