import { describe, expect, it } from 'vitest';
import { isExactMatch, tokenF1, wordErrorRate } from '../../../../main/domain/outputs/text-figures';

describe('isExactMatch', () => {
  it('leaves case, punctuation, articles and white space aside', () => {
    expect(isExactMatch('The  Eiffel-Tower.', 'eiffeltower')).toBe(true);
    expect(isExactMatch('a cat', 'the cat!')).toBe(true);
    expect(isExactMatch('cat', 'cats')).toBe(false);
  });

  it('keeps words that begin like an article', () => {
    expect(isExactMatch('año', 'ño')).toBe(false);
    expect(isExactMatch('theory', 'ory')).toBe(false);
  });
});

describe('tokenF1', () => {
  it('is the share of common words, each as often as both have it', () => {
    // Two of two words are right, and two of four are found.
    expect(tokenF1('red fox', 'The quick red fox jumps')).toBeCloseTo((2 * 1 * 0.5) / 1.5, 12);
    expect(tokenF1('red red', 'red')).toBeCloseTo(2 / 3, 12);
    expect(tokenF1('blue', 'red')).toBe(0);
  });

  it('is 1 where neither has a word, and 0 where one has none', () => {
    expect([tokenF1('the', 'a'), tokenF1('', 'red'), tokenF1('red', 'the')]).toEqual([1, 0, 0]);
  });
});

describe('wordErrorRate', () => {
  it('counts replaced, missing and added words over all words that were said', () => {
    const pairs = [
      // One replaced.
      { truth: 'one two three', answer: 'one too three' },
      // One missing, one added.
      { truth: 'four five', answer: 'five six' },
      { truth: 'Seven, eight!', answer: 'SEVEN EIGHT' },
    ];
    expect(wordErrorRate(pairs)).toBeCloseTo(3 / 7, 12);
  });

  it('keeps apostrophes, and may exceed 1', () => {
    expect(wordErrorRate([{ truth: 'it’s', answer: "IT'S" }])).toBe(0);
    expect(wordErrorRate([{ truth: 'its', answer: "it's" }])).toBe(1);
    expect(wordErrorRate([{ truth: 'one', answer: 'a b c' }])).toBe(3);
    expect(wordErrorRate([{ truth: 'one two', answer: '' }])).toBe(1);
  });

  it('is unknown where nothing was said', () => {
    expect(wordErrorRate([{ truth: '...', answer: 'one' }])).toBeNull();
  });
});
