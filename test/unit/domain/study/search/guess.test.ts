import { describe, expect, it } from 'vitest';
import type { Candidate, Look, SearchStrategy } from '../../../../../main/contract/study/search';
import { predict } from '../../../../../main/domain/predict/predict';
import { createRandom } from '../../../../../main/domain/random';
import { type Guesses, guessesOf, noGuesses } from '../../../../../main/domain/study/search/guess';
import { nextLooks, secondsOf, standingOf } from '../../../../../main/domain/study/search/next-looks';
import { closed, configuration, measure, open, space, truth } from '../../../../support/simulated-search';

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
