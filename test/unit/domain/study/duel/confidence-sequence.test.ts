import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../../main/domain/random';
import { confidenceSequence } from '../../../../../main/domain/study/duel/confidence-sequence';

/** Standard normal, by Box and Muller. */
function normals(seed: number): () => number {
  const random = createRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** By its definition: the likelihood ratio of effects mixed over N(0, 1), against a mean. */
function mixedRatio(values: readonly number[], against: number): number {
  const count = values.length;
  const mean = values.reduce((sum, one) => sum + one, 0) / count;
  const squares = values.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const t2OverNu = (count * (mean - against) ** 2) / squares;
  return (1 + count) ** -0.5 * ((1 + t2OverNu) / (1 + t2OverNu / (1 + count))) ** (count / 2);
}

describe('the confidence sequence', () => {
  it('ends where the mixed likelihood ratio reaches 20', () => {
    const normal = normals(1);
    const values = Array.from({ length: 12 }, () => 0.3 + 0.1 * normal());
    const { mean, half } = confidenceSequence(values).at(-1) ?? { mean: NaN, half: null };
    expect(half).not.toBeNull();
    for (const end of [mean - (half ?? 0), mean + (half ?? 0)])
      expect(mixedRatio(values, end)).toBeCloseTo(20, 6);
  });

  it('says nothing of fewer than five values, and narrows with more', () => {
    const normal = normals(2);
    const halves = confidenceSequence(Array.from({ length: 400 }, normal)).map(({ half }) => half);
    expect(halves.slice(0, 4)).toEqual([null, null, null, null]);
    expect(halves[4]).toBeGreaterThan(halves[19] ?? NaN);
    expect(halves[399]).toBeLessThan(0.25);
  });

  it('excludes the true mean at any of 300 looks in at most 5 % of sequences', () => {
    const normal = normals(3);
    const trials = 1000;
    let missed = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const sequence = confidenceSequence(Array.from({ length: 300 }, normal));
      if (sequence.some(({ mean, half }) => half !== null && Math.abs(mean) > half)) missed += 1;
    }
    expect(missed / trials).toBeLessThanOrEqual(0.05);
    // It is not merely wide: a test that is looked at once would miss as often as it says.
    expect(missed).toBeGreaterThan(0);
  });
});
