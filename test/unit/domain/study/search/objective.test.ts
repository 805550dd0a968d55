import { describe, expect, it } from 'vitest';
import type {
  Candidate,
  Look,
  LookPhase,
  Searched,
  SearchStrategy,
} from '../../../../../main/contract/study/search';
import { nextLooks } from '../../../../../main/domain/study/search/next-looks';
import { objectiveText, overMemoryText } from '../../../../../main/domain/study/search/objective';
import { searchAnswer } from '../../../../../main/domain/study/search/search-answer';

const one: Candidate = {
  ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [] },
  ...{ maxQueueDelayUs: 0, threads: 1 },
};
const search: SearchStrategy = {
  ...{ kind: 'search', runId: 'run', candidates: [one, { ...one, instances: 2 }, { ...one, instances: 4 }] },
  load: { kind: 'open', batchSize: 1, rate: 500 },
  target: { percentile: 99, latencyUs: null, errorPercentage: 1 },
  objective: { kind: 'latency' },
  ...{ budgetS: 300, lookMs: 1500, fullMs: 3000 },
};
const closed: SearchStrategy = {
  ...search,
  load: { kind: 'closed', batchSize: 1, concurrency: [4, 8] },
  target: { ...search.target, latencyUs: 20_000 },
  objective: { kind: 'throughput' },
};

/** What a candidate answers, by its instances: p99 in ms, and the share of the rate that it keeps up with. */
type Answers = Readonly<Record<number, { readonly ms: number; readonly share?: number }>>;

const lookAt = (of: Answers, candidate: number, phase: LookPhase, turn: number): Look => {
  const { ms = 0, share = 1 } = of[candidate] ?? {};
  return {
    ...{ candidate, phase, load: { requestRate: 500 }, seconds: 1.5, inferencesPerSecond: 500 * share },
    // Three in a hundred up and down, so that an interval has a width.
    ...{ latencyUs: 1000 * ms * (1 + 0.03 * ((turn % 3) - 1)), requestCount: 750, errorCount: 0 },
    ...{ meanServerBatch: null, serverQueueUs: null },
  };
};

/** The whole search, with every look that it asks for. */
function searchedBy(of: Answers, from: Searched = { looks: [], failed: {} }): Searched {
  let searched = from;
  for (let due = nextLooks(search, searched); due.length > 0; due = nextLooks(search, searched)) {
    for (const { candidate, phase, load } of due) {
      expect(load).toEqual({ requestRate: 500 });
      searched = {
        ...searched,
        looks: [...searched.looks, lookAt(of, candidate, phase, searched.looks.length)],
      };
    }
  }
  return searched;
}

describe('the lowest latency at a rate', () => {
  it('sends only that rate, and names the candidate with the lowest latency', () => {
    const searched = searchedBy({ 1: { ms: 30 }, 2: { ms: 12 }, 3: { ms: 25 } });
    const answer = searchAnswer(search, searched);
    expect(answer).toMatchObject({ isConfirmed: true, isWithinNoise: false, isCutShort: false });
    expect(answer.winner).toMatchObject({ candidate: 2, load: 500, inferencesPerSecond: 500 });
    expect(answer.gain?.high).toBeLessThan(0.5);
    expect(answer.sentence).toMatch(
      /^Model instances 2: p99 12\.\d\d ms at 500\.0 requests\/s, 0\.4\d × that of the present configuration \(0\.3\d to 0\.4\d\)$/,
    );
  });

  it('leaves out one that does not keep up with the rate, however fast it answers', () => {
    const searched = searchedBy({ 1: { ms: 30 }, 2: { ms: 12, share: 0.8 }, 3: { ms: 25 } });
    const { winner, rows } = searchAnswer(search, searched);
    expect(winner?.candidate).toBe(3);
    expect(rows.find(({ candidate }) => candidate === 2)).toMatchObject({
      state: 'holds no load',
      load: null,
    });
  });

  it('calls what the noise can make by its name, and takes the simplest of those that are alike', () => {
    const searched = searchedBy({ 1: { ms: 30 }, 2: { ms: 30 }, 3: { ms: 30 } });
    const { winner, sentence } = searchAnswer(search, searched);
    expect(winner?.candidate).toBe(1);
    expect(sentence).toMatch(
      /^The present configuration is the best of 3: p99 \d\d\.\d\d ms at 500\.0 requests\/s/,
    );
  });

  it('says so where none keeps up with the rate, and where the present one does not', () => {
    const late = { ms: 30, share: 0.5 };
    expect(searchAnswer(search, searchedBy({ 1: late, 2: late, 3: late })).sentence).toBe(
      'No configuration holds 500.0 requests/s',
    );
    expect(searchAnswer(search, searchedBy({ 1: late, 2: { ms: 9 }, 3: late })).sentence).toMatch(
      /requests\/s\. The present configuration does not hold the rate$/,
    );
  });

  it('says nothing of loads where none was measured', () => {
    expect(searchAnswer(search, { looks: [], failed: {} }).sentence).toBe('No configuration was measured');
  });

  it('keeps a target that was given beside it', () => {
    const within = { ...search, target: { ...search.target, latencyUs: 20_000 } };
    const looks = [30, 12, 25].map((ms, at) => lookAt({ [at + 1]: { ms } }, at + 1, 'screen', 1));
    expect(searchAnswer(within, { looks, failed: {} })).toMatchObject({
      winner: { candidate: 2 },
      present: { state: 'holds no load' },
    });
  });
});

describe('cost per million inferences', () => {
  it('is that of a replica in full use, beside that of the present configuration', () => {
    const cost: SearchStrategy = { ...closed, objective: { kind: 'cost', pricePerHour: 3.6 } };
    const look = (candidate: number, inferencesPerSecond: number): Look => ({
      ...lookAt({ [candidate]: { ms: 10 } }, candidate, 'screen', 1),
      ...{ load: { concurrency: 8 }, inferencesPerSecond },
    });
    const { rows, sentence } = searchAnswer(cost, {
      looks: [look(1, 500), look(2, 1000), look(3, 800)],
      failed: {},
    });
    expect(rows.map(({ candidate, costPerMillion }) => [candidate, costPerMillion])).toEqual([
      [2, 1],
      [3, 1.25],
      [1, 2],
    ]);
    expect(sentence).toMatch(/, 1\.00 per million inferences at full use \(present configuration 2\.00\)/);
  });

  it('is missing of a candidate that holds no load, and where it is not the objective', () => {
    const rows = searchAnswer(search, searchedBy({ 1: { ms: 30 }, 2: { ms: 12 }, 3: { ms: 25 } })).rows;
    expect(rows.map(({ costPerMillion }) => costPerMillion)).toEqual([null, null, null]);
  });
});

describe('a limit of memory', () => {
  const gib = 1024 ** 3;
  const limited: SearchStrategy = { ...closed, memory: { gpuBytes: 8 * gib, hostBytes: 2 * gib } };
  const look = (candidate: number, inferencesPerSecond: number): Look => ({
    ...lookAt({ [candidate]: { ms: 10 } }, candidate, 'screen', 1),
    ...{ load: { concurrency: 8 }, inferencesPerSecond },
  });

  it('marks a candidate above it with its figure, and keeps it from winning', () => {
    const searched: Searched = {
      looks: [look(1, 500), look(2, 1000)],
      failed: {},
      memory: {
        1: { hostBytes: gib, gpuBytes: 3 * gib },
        2: { hostBytes: gib, gpuBytes: 5 * gib },
        3: { hostBytes: 3 * gib, gpuBytes: 9.1 * gib },
      },
    };
    const { winner, rows, sentence } = searchAnswer(limited, searched);
    expect(winner?.candidate).toBe(2);
    expect(rows.find(({ candidate }) => candidate === 3)).toMatchObject({
      ...{ state: 'over memory', gpuBytes: 9.1 * gib, hostBytes: 3 * gib },
      reason: 'GPU memory 9.1 GiB, above 8.0 GiB; host memory 3.0 GiB, above 2.0 GiB',
    });
    expect(sentence).not.toContain('over memory');
    expect(nextLooks(limited, searched).some(({ candidate }) => candidate === 3)).toBe(false);
  });

  it('says so where it is the present one that takes too much, or every one', () => {
    const over = { hostBytes: gib, gpuBytes: 9 * gib };
    const one = searchAnswer(limited, { looks: [look(2, 1000)], failed: {}, memory: { 1: over } });
    expect(one.sentence).toMatch(
      /\. The present configuration is over memory: GPU memory 9\.0 GiB, above 8\.0 GiB$/,
    );
    const all = searchAnswer(limited, { looks: [], failed: {}, memory: { 1: over, 2: over, 3: over } });
    expect(all.sentence).toBe(
      'No configuration is within the memory: GPU memory 9.0 GiB, above 8.0 GiB (present configuration)',
    );
  });

  it('does not call what was not read within it, or above it', () => {
    const unread = { looks: [], failed: {}, memory: { 2: { hostBytes: null, gpuBytes: null } } };
    expect(overMemoryText(limited, unread, 2)).toBeNull();
    expect(searchAnswer(limited, unread).rows.map(({ hostBytes }) => hostBytes)).toEqual([null, null, null]);
  });

  it('knows what the backend takes once, as the first load takes more than its twin', () => {
    const memory = { 0: { hostBytes: 5 * gib, gpuBytes: null }, 1: { hostBytes: 2 * gib, gpuBytes: null } };
    expect(searchAnswer(limited, { looks: [], failed: {}, memory }).context).toEqual({
      ...{ hostBytes: 3 * gib, gpuBytes: null },
    });
    expect(searchAnswer(limited, { looks: [], failed: {} }).context).toBeNull();
  });
});

it('says an objective with its rate or its price', () => {
  expect(objectiveText(search)).toBe('Objective: the lowest latency at the rate of 500.0 requests/s');
  expect(objectiveText({ ...closed, objective: { kind: 'cost', pricePerHour: 2.5 } })).toBe(
    'Objective: the lowest cost per inference within the target, at 2.5 per hour for one replica with its GPUs',
  );
});
