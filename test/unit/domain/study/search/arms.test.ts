import { describe, expect, it } from 'vitest';
import type { Candidate, Look, SearchStrategy } from '../../../../../main/contract/study/search';
import {
  armOf,
  doubtfulRate,
  keepsRate,
  nextStep,
  potentialOf,
  rateOf,
  stepOfRate,
} from '../../../../../main/domain/study/search/arms';
import { nextLooks } from '../../../../../main/domain/study/search/next-looks';
import { searchAnswer } from '../../../../../main/domain/study/search/search-answer';

const one: Candidate = {
  ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [] },
  ...{ maxQueueDelayUs: 0, threads: 1, batchSize: 1 },
};
const search: SearchStrategy = {
  ...{ kind: 'search', runId: 'run', candidates: [one, { ...one, batchSize: 4 }] },
  load: { kind: 'open', batchSize: 1 },
  target: { percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
  ...{ budgetS: 300, lookMs: 1000, fullMs: 3000 },
};
const at = (candidate: number, step: number, isHeld = true): Look => {
  const requestRate = rateOf(step);
  const size = search.candidates[candidate - 1]?.batchSize ?? 1;
  return {
    ...{ candidate, phase: 'edge', load: { requestRate }, seconds: 1 },
    inferencesPerSecond: requestRate * size,
    ...{ latencyUs: isHeld ? 1000 : 90_000, requestCount: 100, errorCount: 0 },
    ...{ meanServerBatch: null, serverQueueUs: null },
  };
};
const step = stepOfRate(100);
/** What may be promised lies so many steps below what is held for a moment. */
const safety = 2;

it('counts the inferences of a request where candidates send different batches', () => {
  const searched = { looks: [at(1, step), at(2, step), at(2, step + 1, false)], failed: {} };
  const [single, four] = [armOf(search, searched, 1), armOf(search, searched, 2)];
  expect(single.value).toBe(rateOf(step - safety));
  expect(four.value).toBe(4 * rateOf(step - safety));
  expect(potentialOf(search, four)).toBe(4 * rateOf(step - safety));
});

it('asks a candidate for more inferences than the best one gives, not for more requests', () => {
  const leader = armOf(search, { looks: [at(1, step), at(1, step + 1, false)], failed: {} }, 1);
  const fresh = armOf(search, { looks: [], failed: {} }, 2);
  const next = nextStep(search, fresh, leader);
  const highest = rateOf(step);
  expect(4 * rateOf(next)).toBeGreaterThan(highest);
  // One step less would be no more.
  expect(4 * rateOf(next - 2)).toBeLessThan(highest);
  expect(nextStep({ ...search, candidates: [one, one] }, fresh, leader)).toBe(step + 1);
});

it('states the gain of a batch size in inferences, with the inferences beside the requests', () => {
  const looks = [at(1, step), at(1, step + 1, false), at(2, step), at(2, step + 1, false)];
  const { gain, sentence } = searchAnswer(search, { looks, failed: {} });
  expect(gain?.ratio).toBeCloseTo(4, 6);
  expect(sentence).toMatch(/^Batch size per request 4: [\d.]+ requests\/s \([\d.]+ inferences\/s\) within/);
});

describe('the rate that may be promised', () => {
  const long = (candidate: number, wanted: number, isHeld = true): Look => ({
    ...at(candidate, wanted, isHeld),
    phase: 'confirm',
  });
  const edge = [at(1, step), at(1, step + 1, false), at(2, step), at(2, step + 1, false)];
  const bestOf = (looks: readonly Look[], candidate: number) =>
    armOf(search, { looks: [...edge, ...looks], failed: {} }, candidate).best;

  it('lies below what was held for a moment, and stays where long looks hold it', () => {
    expect(bestOf([], 1)).toBe(step - safety);
    expect(bestOf([long(1, step - safety), long(1, step - safety)], 1)).toBe(step - safety);
  });

  it('goes down by each step that a long look did not hold, and the edge stays', () => {
    const looks = [long(1, step - safety, false), long(1, step - safety - 1, false)];
    expect(bestOf(looks, 1)).toBe(step - safety - 2);
    expect(armOf(search, { looks: [...edge, ...looks], failed: {} }, 1)).toMatchObject({
      ...{ highest: step, beyond: step + 1, isSettled: true },
    });
  });

  it('takes off the others what the best one lost, until they have long looks of their own', () => {
    const lost = [long(1, step - safety, false)];
    expect(bestOf(lost, 2)).toBe(step - safety - 1);
    expect(bestOf([...lost, long(2, step - safety)], 2)).toBe(step - safety);
  });
});

describe('a closed step near the target', () => {
  const closed: SearchStrategy = { ...search, load: { kind: 'closed', batchSize: 1, concurrency: [4, 8] } };
  const look = (concurrency: number, latencyUs: number): Look => ({
    ...{ ...at(1, step), load: { concurrency }, latencyUs, inferencesPerSecond: 10 * concurrency },
  });
  const armAt = (...latencies: readonly number[]) =>
    armOf(closed, { looks: [look(4, 9000), ...latencies.map((us) => look(8, us))], failed: {} }, 1);

  it('is looked at up to three times, and counts where most of the looks hold it', () => {
    expect(armAt(25_000).isSettled).toBe(false);
    expect(nextStep(closed, armAt(25_000), null)).toBe(1);
    expect(armAt(25_000, 15_000, 16_000)).toMatchObject({ isSettled: true, best: 1 });
    expect(armAt(25_000, 15_000, 26_000)).toMatchObject({ isSettled: true, best: 0 });
  });

  it('is not looked at again where it missed by far', () => {
    expect(armAt(60_000)).toMatchObject({ isSettled: true, best: 0 });
  });
});

it('is at the lowest rate after a few looks where none is held', () => {
  const single: SearchStrategy = { ...search, candidates: [one] };
  const screen: Look = { ...at(1, 0), phase: 'screen', load: { concurrency: 16 }, inferencesPerSecond: 1000 };
  const looks: Look[] = [screen];
  for (let turn = 0; turn < 20; turn += 1) {
    const arm = armOf(single, { looks, failed: {} }, 1);
    if (arm.isSettled) break;
    looks.push({ ...at(1, nextStep(single, arm, null), false), inferencesPerSecond: 100 });
  }
  expect(armOf(single, { looks, failed: {} }, 1)).toMatchObject({ isSettled: true, highest: null });
  expect(looks.length).toBeLessThanOrEqual(7);
});

describe('a rate in a short look', () => {
  const answered = (requestCount: number, inferencesPerSecond: number): Look => ({
    ...at(1, step),
    ...{ requestCount, inferencesPerSecond },
  });

  it('is kept where no fewer were answered than may come by chance', () => {
    // Of 400 that are due in a second 20 more or fewer come.
    expect(keepsRate([answered(360, 360)], 400, 1)).toBe(true);
    expect(keepsRate([answered(330, 330)], 400, 1)).toBe(false);
    expect(keepsRate([answered(36_000, 360)], 400, 1)).toBe(false);
    expect(keepsRate([answered(360, 1440)], 400, 4)).toBe(true);
    expect(keepsRate([answered(0, 0)], 400, 1)).toBe(false);
  });

  it('is looked at again where the best one missed the target by little', () => {
    const missed = { ...at(1, step + 1), latencyUs: 25_000 };
    const settled = (looks: readonly Look[]) =>
      doubtfulRate(search, looks, armOf(search, { looks, failed: {} }, 1));
    expect(settled([at(1, step), missed])).toEqual({ requestRate: rateOf(step + 1) });
    expect(settled([at(1, step), missed, missed, missed])).toBeNull();
    expect(settled([at(1, step), at(1, step + 1, false)])).toBeNull();
    const [due] = nextLooks({ ...search, candidates: [one] }, { looks: [at(1, step), missed], failed: {} });
    expect(due).toMatchObject({ candidate: 1, phase: 'edge', load: { requestRate: rateOf(step + 1) } });
  });
});
