import { describe, expect, it } from 'vitest';
import type { Candidate, Look, SearchStrategy } from '../../../../../main/contract/study/search';
import {
  type DueLook,
  isCutShort,
  nextLooks,
  secondsOf,
  standingOf,
} from '../../../../../main/domain/study/search/next-looks';

/** Reproducible: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const configuration = (change: Partial<Candidate>): Candidate => ({
  instances: 1,
  maxBatchSize: 8,
  batching: 'dynamic',
  preferredBatchSizes: [],
  maxQueueDelayUs: 0,
  threads: 1,
  ...change,
});

const space = [1, 2, 3].flatMap((instances) =>
  [4, 8, 16, 32].map((maxBatchSize) => configuration({ instances, maxBatchSize })),
);

const closed: SearchStrategy = {
  kind: 'search',
  runId: 'run',
  candidates: space,
  load: { kind: 'closed', batchSize: 1, concurrency: [4, 8, 16, 32] },
  target: { percentile: 99, latencyUs: 40_000, errorPercentage: 1 },
  budgetS: 600,
  lookMs: 600,
  fullMs: 2000,
};
const open: SearchStrategy = { ...closed, load: { kind: 'open', batchSize: 1 } };

/** Two processors: a batch takes 3.5 ms and 0.7 ms a row, more instances than processors share them. */
function serverOf({ instances, maxBatchSize }: Candidate) {
  const share = Math.min(1, 2 / instances);
  const batchUs = (rows: number) => (3500 + 700 * rows) / share;
  return {
    capacity: (instances * maxBatchSize * 1e6) / batchUs(maxBatchSize),
    closed: (concurrency: number) => {
      const rows = Math.min(maxBatchSize, Math.max(1, concurrency / instances));
      const ips = (instances * rows * 1e6) / batchUs(rows);
      return { ips, p99Us: (1.3e6 * concurrency) / ips };
    },
    batchUs,
  };
}

function measure(candidate: Candidate, due: DueLook, random: () => number, noise: number): Look {
  const server = serverOf(candidate);
  const off = () => 1 + noise * (2 * random() - 1);
  const { load, candidate: number, phase } = due;
  const known = { candidate: number, phase, load };
  const base = {
    ...known,
    seconds: due.ms / 1000,
    errorCount: 0,
    meanServerBatch: null,
    serverQueueUs: null,
  };
  if ('concurrency' in load) {
    const { ips, p99Us } = server.closed(load.concurrency);
    return { ...base, inferencesPerSecond: ips * off(), latencyUs: p99Us * off(), requestCount: 500 };
  }
  const busy = load.requestRate / (server.capacity * off());
  const isOver = busy >= 1;
  return {
    ...base,
    inferencesPerSecond: isOver ? server.capacity : load.requestRate,
    latencyUs: isOver ? 1e6 : server.batchUs(candidate.maxBatchSize) * (1 + busy / (1 - busy)),
    requestCount: 500,
  };
}

/** Runs a search on the model of a server. */
function search(spec: SearchStrategy, seed: number, noise = 0.1, failed: Record<number, never> = {}) {
  const random = randomOf(seed);
  const looks: Look[] = [];
  for (let round = 0; round < 500; round += 1) {
    const due = nextLooks(spec, { looks, failed });
    if (due.length === 0) return { looks, standing: standingOf(spec, { looks, failed }), round };
    for (const one of due) {
      const candidate = spec.candidates[one.candidate - 1];
      if (candidate === undefined) throw new Error(`No candidate ${one.candidate}`);
      looks.push(measure(candidate, one, random, noise));
    }
  }
  throw new Error('The search does not end');
}

/** The most that any candidate gives within the target at any of the loads. */
const optimum = Math.max(
  ...space.flatMap((candidate) =>
    [4, 8, 16, 32].map((concurrency) => {
      const { ips, p99Us } = serverOf(candidate).closed(concurrency);
      return p99Us <= 40_000 ? ips : 0;
    }),
  ),
);
const trueValue = (number: number): number =>
  Math.max(
    ...[4, 8, 16, 32].map((concurrency) => {
      const candidate = space[number - 1];
      if (candidate === undefined) return 0;
      const { ips, p99Us } = serverOf(candidate).closed(concurrency);
      return p99Us <= 40_000 ? ips : 0;
    }),
  );

describe('a search under closed load', () => {
  it('comes to the best configuration in a fifth of what measuring all takes', () => {
    const exhaustive = 48 * 3 * 2;
    const found = Array.from({ length: 20 }, (_unused, seed) => search(closed, seed));
    const ratios = found.map(({ standing }) => trueValue(standing.winner?.candidate ?? 0) / optimum);
    expect(ratios.filter((ratio) => ratio >= 0.97).length).toBeGreaterThanOrEqual(18);
    for (const { looks } of found) {
      expect(secondsOf({ looks, failed: {} })).toBeLessThan(0.2 * exhaustive);
    }
  });

  it('ends with the best one and the present one in turns, five times each', () => {
    const { looks, standing } = search(closed, 1);
    const last = looks.filter(({ phase }) => phase === 'confirm');
    const winner = standing.winner?.candidate;
    expect(winner).not.toBe(1);
    expect(last.map(({ candidate }) => candidate)).toEqual(
      Array.from({ length: 5 }, () => [winner, 1]).flat(),
    );
    expect(last.every(({ seconds }) => seconds === 2)).toBe(true);
  });

  it('has no winner where none holds the target', () => {
    const { standing } = search({ ...closed, target: { ...closed.target, latencyUs: 100 } }, 1);
    expect(standing).toEqual({ ranked: [], equal: [], winner: null, unjudged: [] });
  });

  it('takes the present one where none is better', () => {
    const [one] = space.slice(5);
    if (one === undefined) throw new Error('No candidate');
    const same = { ...closed, candidates: [one, one, one] };
    const winners = Array.from({ length: 20 }, (_unused, seed) => search(same, seed, 0.05).standing);
    expect(winners.filter(({ winner }) => winner?.candidate === 1).length).toBeGreaterThanOrEqual(15);
    expect(winners.filter(({ equal }) => equal.length > 1).length).toBeGreaterThanOrEqual(17);
  });

  it('goes on without a candidate that failed', () => {
    const best = search(closed, 1).standing.winner?.candidate ?? 0;
    const failed = { [best]: undefined as never };
    expect(nextLooks(closed, { looks: [], failed: {} })).toHaveLength(12);
    const error = { code: 'model-load-failed', message: 'x' } as never;
    const due = nextLooks(closed, { looks: [], failed: { ...failed, [best]: error } });
    expect(due.map(({ candidate }) => candidate)).not.toContain(best);
    expect(due).toHaveLength(11);
  });
});

describe('a search under open load', () => {
  it('promises a rate that is held, near the highest one', () => {
    for (let seed = 0; seed < 10; seed += 1) {
      const { standing } = search(open, seed, 0.03);
      const winner = open.candidates[(standing.winner?.candidate ?? 0) - 1];
      if (winner === undefined) throw new Error('No winner');
      const held = (rate: number) => {
        const { capacity, batchUs } = serverOf(winner);
        const busy = rate / capacity;
        return busy < 1 && batchUs(winner.maxBatchSize) * (1 + busy / (1 - busy)) <= 40_000;
      };
      const promised = standing.winner?.value ?? 0;
      expect(held(promised * 0.94), `seed ${seed}`).toBe(true);
      expect(held(promised * 1.25), `seed ${seed}`).toBe(false);
    }
  });

  it('tries no rate above the one to beat for a candidate that cannot give it', () => {
    const { looks } = search(open, 1, 0.02);
    const edge = looks.filter(({ phase }) => phase === 'edge');
    const tried = new Set(edge.map(({ candidate }) => candidate));
    expect(tried.size).toBeLessThan(12);
  });
});

describe('the budget of a search', () => {
  it('is kept, the last comparison among it', () => {
    const tight = { ...closed, budgetS: 30 };
    const { looks, standing } = search(tight, 2);
    expect(secondsOf({ looks, failed: {} })).toBeLessThanOrEqual(30);
    expect(standing.winner).not.toBeNull();
    expect(looks.some(({ phase }) => phase === 'confirm')).toBe(true);
  });

  it('does not keep a small budget for the comparison of what was not found', () => {
    const { candidates } = open;
    const tight = { ...open, candidates: candidates.slice(0, 5), budgetS: 30, lookMs: 1500, fullMs: 1500 };
    const { standing, looks } = search(tight, 2);
    expect(standing.winner).not.toBeNull();
    expect(looks.filter(({ phase }) => phase === 'edge').length).toBeGreaterThan(2);
  });

  it('says so when it ends before all could be judged', () => {
    const tight = { ...closed, budgetS: 6 };
    const { looks } = search(tight, 2);
    expect(isCutShort(tight, { looks, failed: {} })).toBe(true);
    const { looks: enough } = search(closed, 2);
    expect(isCutShort(closed, { looks: enough, failed: {} })).toBe(false);
  });
});

it('goes on from its looks after a cut at any place', () => {
  const { looks } = search(closed, 4, 0);
  for (let cut = 0; cut < looks.length; cut += 1) {
    const [next] = nextLooks(closed, { looks: looks.slice(0, cut), failed: {} });
    expect(next).toBeDefined();
  }
});
