import { describe, expect, it } from 'vitest';
import { fileLimits } from '../../../main/contract/reader-limits';
import {
  isGood,
  perTokenUs,
  requestTokens,
  TokenRecorder,
  withCounts,
} from '../../../main/perf/token-recorder';

const ms = (...values: number[]) => values.map((value) => value * 1000);

describe('the answers of a request', () => {
  it('have a first token, and a time between each two', () => {
    const found = requestTokens(1000, ms(81, 101, 121, 146), true);
    expect(found).toEqual({ ttftUs: 80_000, gapsUs: ms(20, 20, 25), stalled: false, generatingUs: 65_000 });
    expect(perTokenUs(found, 4)).toBeCloseTo(65_000 / 3);
  });

  it('have no time between them where there is one', () => {
    const one = requestTokens(0, ms(80), true);
    expect(one).toMatchObject({ ttftUs: 80_000, gapsUs: [] });
    // The server counts ten tokens in it: still nobody knows when each came.
    expect(perTokenUs(one, 10)).toBeNull();
  });

  it('have no first token where one answer is the whole output, or none has content', () => {
    expect(requestTokens(0, ms(80), false).ttftUs).toBeNull();
    expect(requestTokens(0, [], true)).toEqual({
      ttftUs: null,
      gapsUs: [],
      stalled: false,
      generatingUs: 0,
    });
  });

  it('have a time per token by the server’s count, not by the number of answers', () => {
    expect(perTokenUs(requestTokens(0, ms(80, 120), true), 5)).toBe(10_000);
  });

  it('are stalled by an interruption of a second, which the slow but steady are not', () => {
    expect(requestTokens(0, ms(80, 100, 1100, 1120), true).stalled).toBe(true);
    expect(requestTokens(0, ms(600, 1200, 1800, 2400), true).stalled).toBe(false);
    expect(requestTokens(0, ms(80, 100, 500, 520), true).stalled).toBe(false);
    // The only time between two answers has nothing to be compared with.
    expect(requestTokens(0, ms(80, 1080), true).stalled).toBe(true);
  });

  it('are good within both budgets, up to the limit itself', () => {
    const found = requestTokens(0, ms(80, 100, 120), true);
    expect(isGood(found, 20_000, {})).toBe(true);
    expect(isGood(found, 20_000, { ttftUs: 80_000, itlUs: 20_000 })).toBe(true);
    expect(isGood(found, 20_000, { ttftUs: 79_999 })).toBe(false);
    expect(isGood(found, 20_000, { itlUs: 19_999 })).toBe(false);
    expect(isGood(requestTokens(0, ms(80), true), null, { itlUs: 1 })).toBe(true);
  });
});

describe('the tokens of a window', () => {
  it('are counted by the server’s usage and by answers side by side', () => {
    const recorder = new TokenRecorder(true, { ttftUs: 100_000 });
    recorder.add(0, { contentUs: ms(80, 120), tokens: 5 });
    recorder.add(0, { contentUs: ms(200, 220, 240) });
    recorder.add(0, { contentUs: [], tokens: 0 });
    const { byUsage, byResponses, ttft, itl, ...counts } = recorder.data();
    expect(counts).toEqual({ requests: 3, answers: 5, empty: 1, stalled: 0, reported: 2 });
    expect(byUsage).toMatchObject({ tokens: 5, fewest: 0, most: 5, good: 1, rateSum: 100 });
    expect(byResponses).toMatchObject({ tokens: 5, fewest: 0, most: 3, good: 1 });
    expect(byResponses.rateSum).toBeCloseTo(25 + 50);
    expect(ttft).toMatchObject({ total: 2, smallestUs: 80_000, largestUs: 200_000 });
    expect(itl).toMatchObject({ total: 3, largestUs: 40_000 });
  });

  it('begin anew', () => {
    const recorder = new TokenRecorder(true, {});
    recorder.add(0, { contentUs: ms(80, 2000), tokens: 2 });
    recorder.clear();
    expect(recorder.data()).toMatchObject({ requests: 0, stalled: 0, reported: 0, ttft: { total: 0 } });
    expect(recorder.data().byUsage).toMatchObject({ tokens: 0, fewest: 0, most: 0, good: 0, rateSum: 0 });
  });
});

describe('the outputs of a window', () => {
  const answered = (text: string | null, tokens: number | null = null) => ({
    ...{ contentUs: ms(80, 120), text, tokens },
  });
  const kept = (...all: readonly ReturnType<typeof answered>[]) => {
    const recorder = new TokenRecorder(true, { itlUs: 10_000 }, true);
    for (const one of all) recorder.add(0, one);
    return recorder.data();
  };

  it('are kept for a tokenizer, whose counts take their place', () => {
    const data = kept(answered('a b'), answered('c'));
    expect(data.outputs?.texts).toEqual(['a b', 'c']);
    const counts = new Map([
      ['a b', 5],
      ['c', 2],
    ]);
    const counted = withCounts(data, counts, { itlUs: 10_000 });
    expect(counted).not.toHaveProperty('outputs');
    expect(counted.byTokenizer).toMatchObject({ tokens: 7, fewest: 2, most: 5, good: 1 });
    // Four and one times between tokens within the same 40 ms.
    expect(counted.byTokenizer?.rateSum).toBeCloseTo(100 + 25);
  });

  it('are not counted in part: neither without one of the counts nor with another kind of output', () => {
    const data = kept(answered('a'), answered('b'));
    const counted = withCounts(data, new Map([['a', 1]]), {});
    expect(counted).not.toHaveProperty('outputs');
    expect(counted).not.toHaveProperty('byTokenizer');
    expect(kept(answered('a'), answered(null))).not.toHaveProperty('outputs');
    expect(kept(answered('a'), answered('b', 3))).not.toHaveProperty('outputs');
    const long = 'x'.repeat(fileLimits.outputTexts.characters);
    expect(kept(answered(long), answered('y'))).not.toHaveProperty('outputs');
    expect(kept(answered(long))).toHaveProperty('outputs');
  });

  it('are kept only where they are asked for, and begin anew', () => {
    const plain = new TokenRecorder(true, {});
    plain.add(0, answered('a'));
    expect(plain.data()).not.toHaveProperty('outputs');
    const recorder = new TokenRecorder(true, {}, true);
    recorder.add(0, answered(null));
    recorder.clear();
    recorder.add(0, answered('a'));
    expect(recorder.data().outputs?.texts).toEqual(['a']);
  });
});
