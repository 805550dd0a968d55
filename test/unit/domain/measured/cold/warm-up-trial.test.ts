import { describe, expect, it } from 'vitest';
import type { WarmUpTrial } from '../../../../../main/contract/measured/cold-start';
import { trialOf } from '../../../../../main/domain/measured/cold/warm-up-trial';

/** First requests of six rounds around a value, in milliseconds. */
const around = (ms: number): number[] => [-2, -1, 0, 0, 1, 2].map((off) => (ms + off) * 1000);
const next = [5000, 5000, 6000];

interface Size {
  readonly batchSize: number;
  readonly before: number;
  readonly after: number;
}

const trialFixture = (sizes: readonly Size[], change: Partial<WarmUpTrial> = {}): WarmUpTrial => ({
  ...{ kind: 'zero', warmUp: [1, 4], rounds: 6 },
  before: {
    loadUs: [400_000],
    requests: sizes.map(({ batchSize, before }) => ({ batchSize, firstUs: around(before), nextUs: next })),
  },
  after: {
    loadUs: [1_000_000],
    requests: sizes.map(({ batchSize, after }) => ({ batchSize, firstUs: around(after), nextUs: next })),
  },
  ...change,
});

function triedOf(trial: WarmUpTrial) {
  const found = trialOf({ warmUpTrial: trial });
  if (found === null) throw new Error('No trial');
  return found;
}
const effectsOf = (trial: WarmUpTrial) => triedOf(trial).rows.map(({ effect }) => effect);

describe('a warm-up', () => {
  it('took the cold start away, left some, did not act, or had nothing to do', () => {
    const trial = trialFixture([
      { batchSize: 1, before: 305, after: 6 },
      { batchSize: 2, before: 305, after: 150 },
      { batchSize: 4, before: 305, after: 304 },
      { batchSize: 8, before: 305, after: 305 },
      { batchSize: 16, before: 7, after: 6 },
    ]);
    expect(effectsOf(trial)).toEqual(['gone', 'less', 'unchanged', 'not-reached', 'not-cold']);
    expect(triedOf(trial).lines).toEqual([
      'With the warm-up the cold start is gone at batch size 1.',
      'With the warm-up the first request is faster at batch size 2, and still slow.',
      'The warm-up does not reach batch size 8: it had no effect there.',
      'The warm-up covers batch size 4, but made no difference there.',
      'Without a warm-up the first request is not slow at batch size 16.',
      'The model loads in 1.0 s with the warm-up, and in 400 ms without.',
      'Tried with zeros at batch sizes 1 and 4, in 6 rounds of fresh loads in turns, all sizes of a round after one load.',
    ]);
  });

  it('acted also at a size that it does not have, where that is what was measured', () => {
    expect(effectsOf(trialFixture([{ batchSize: 8, before: 305, after: 6 }]))).toEqual(['gone']);
  });

  it('did not act where a round was slower with it', () => {
    const trial = trialFixture([{ batchSize: 1, before: 305, after: 100 }]);
    const [first] = trial.after.requests;
    const firstUs = [...(first?.firstUs.slice(1) ?? []), 900_000];
    const after = { ...trial.after, requests: [{ batchSize: 1, firstUs, nextUs: next }] };
    expect(effectsOf({ ...trial, after })).toEqual(['unchanged']);
  });

  it('of fewer rounds than six has no interval', () => {
    const few = { batchSize: 1, firstUs: [305_000, 306_000, 307_000], nextUs: next };
    const trial = trialFixture([], {
      before: { loadUs: [1], requests: [few] },
      after: { loadUs: [1], requests: [{ ...few, firstUs: [6000, 7000, 8000] }] },
    });
    expect(triedOf(trial).rows).toMatchObject([
      { effect: 'gone', before: { medianUs: 306_000, interval: null }, saved: { medianUs: 299_000 } },
    ]);
  });

  it('that no size answered says so', () => {
    expect(triedOf(trialFixture([])).lines[0]).toBe(
      'No batch size was answered both with and without the warm-up.',
    );
  });
});

it('a run that tried none has none', () => {
  expect(trialOf({ warmUpTrial: null })).toBeNull();
});
