import { describe, expect, it } from 'vitest';
import { type MadePrompts, makePrompts } from '../../../../main/perf/prompts/made-prompts';
import { smallTokenizer, tokenizerNames } from '../../../support/tokenizers';

const asked: MadePrompts = { count: 40, mean: 60, stddev: 0, prefixTokens: 0, prefixCount: 1, seed: 7 };
const textsOf = (prompts: ReturnType<typeof makePrompts>) => prompts.map(({ text }) => text ?? '');

describe('made prompts', () => {
  it.each(tokenizerNames)('have the length that is asked for, to the token: %s', (name) => {
    const tokenize = smallTokenizer(name);
    const prompts = makePrompts(asked, tokenize);
    expect(prompts.map(({ tokens }) => tokens)).toEqual(Array(40).fill(60));
    expect(textsOf(prompts).map((text) => tokenize(text).length)).toEqual(Array(40).fill(60));
    expect(new Set(textsOf(prompts)).size).toBe(40);
    expect(prompts[0]).toMatchObject({ messages: null });
  });

  it('have lengths around their mean, and at least one token', () => {
    const tokenize = smallTokenizer('wordpiece');
    const lengths = makePrompts({ ...asked, count: 400, stddev: 12 }, tokenize).map(({ tokens }) => tokens);
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    const spread = Math.sqrt(lengths.reduce((sum, length) => sum + (length - mean) ** 2, 0) / lengths.length);
    expect(mean).toBeCloseTo(60, -0.5);
    expect(spread).toBeGreaterThan(10);
    expect(spread).toBeLessThan(14);
    const short = makePrompts({ ...asked, mean: 1, stddev: 1 }, tokenize);
    expect(Math.min(...short.map(({ tokens }) => tokens))).toBeGreaterThanOrEqual(1);
  });

  it('are the same for the same seed, and others for another', () => {
    const tokenize = smallTokenizer('bpe');
    const made = (seed: number) => textsOf(makePrompts({ ...asked, stddev: 9, seed }, tokenize));
    expect(made(7)).toEqual(made(7));
    expect(made(8)).not.toEqual(made(7));
  });

  it.each(tokenizerNames)('begin with one of as many prefixes as are asked for: %s', (name) => {
    const tokenize = smallTokenizer(name);
    const prompts = makePrompts({ ...asked, prefixTokens: 25, prefixCount: 3 }, tokenize);
    expect(new Set(prompts.map(({ tokens }) => tokens))).toEqual(new Set([85]));
    const begins = textsOf(prompts).map((text) => tokenize(text).slice(0, 25).join('|'));
    expect(new Set(begins).size).toBe(3);
    const ends = textsOf(prompts).map((text) => tokenize(text).slice(25).join('|'));
    expect(new Set(ends).size).toBe(40);
  });

  it('are as near as words come where no word has so few tokens', () => {
    // Four tokens for each word, whatever it is.
    const tokenize = (text: string) =>
      text.split(' ').flatMap((word) => (word === '' ? [] : [word, '', '', '']));
    expect(makePrompts({ ...asked, count: 3, mean: 10 }, tokenize).map(({ tokens }) => tokens)).toEqual([
      8, 8, 8,
    ]);
    expect(makePrompts({ ...asked, count: 1, mean: 2 }, tokenize)[0]?.tokens).toBe(4);
  });
});
