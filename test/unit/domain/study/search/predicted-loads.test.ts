import { describe, expect, it } from 'vitest';
import type { Candidate, Look, SearchStrategy } from '../../../../../main/contract/study/search';
import { predict } from '../../../../../main/domain/predict/predict';
import { createRandom } from '../../../../../main/domain/random';
import { rateOf, stepOfRate } from '../../../../../main/domain/study/search/arms';
import { predictedLoads } from '../../../../../main/domain/study/search/predicted-loads';
import { closed, measure, open, truth } from '../../../../support/simulated-search';

const own = closed.candidates[2] as Candidate;

function looksAt(loads: readonly Look['load'][]): readonly Look[] {
  const random = createRandom(1);
  return loads.map((load) => measure(own, { candidate: 3, phase: 'edge', load, ms: 600 }, random));
}
const of = (search: SearchStrategy, looks: readonly Look[]) =>
  predictedLoads(search, { looks, failed: {} }, 3);

describe('the predicted loads of a candidate', () => {
  it('lie near what its Triton would do between the measured ones', () => {
    const looks = looksAt([{ concurrency: 1 }, { concurrency: 8 }, { concurrency: 32 }]);
    const found = of(closed, looks);
    expect(found.map(({ load }) => load)).toEqual([1, 2, 4, 8, 16, 32]);
    for (const { load, inferencesPerSecond } of found) {
      const served = predict({ ...truth, serving: own, arrivals: { kind: 'closed', concurrency: load } });
      expect(Math.abs(inferencesPerSecond / served.predictedInferencesPerSecond - 1)).toBeLessThan(0.2);
    }
  });

  it('end at the highest rate that was measured', () => {
    const step = stepOfRate(300);
    const looks = looksAt([{ requestRate: rateOf(step - 9) }, { requestRate: rateOf(step) }]);
    const found = of(open, looks);
    expect(found.length).toBeGreaterThan(3);
    expect(found.at(-1)?.load).toBe(rateOf(step));
    expect(found.map(({ load }) => load)).toEqual(found.map(({ load }) => load).toSorted((a, b) => a - b));
  });

  it('are none where the prediction does not find the measured loads again', () => {
    const looks = looksAt([{ concurrency: 1 }, { concurrency: 8 }, { concurrency: 32 }]);
    const slow = looks.map((look) => ({ ...look, latencyUs: 3 * look.latencyUs }));
    const halved = slow.map((look) => ({ ...look, inferencesPerSecond: look.inferencesPerSecond / 2 }));
    expect(of(closed, halved)).toEqual([]);
  });

  it('are none for one load, without execution times, and under a trace or a single rate', () => {
    const looks = looksAt([{ concurrency: 1 }, { concurrency: 8 }]);
    expect(of(closed, looks.slice(0, 1))).toEqual([]);
    expect(
      of(
        closed,
        looks.map((look) => ({ ...look, measured: undefined })),
      ),
    ).toEqual([]);
    expect(of({ ...open, load: { kind: 'open', batchSize: 1, rate: 100 } }, looks)).toEqual([]);
  });
});
