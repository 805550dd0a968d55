import { createRandom, normals } from '../../domain/random';
import type { Prompt } from './parse-prompts';
import { promptWords } from './prompt-words';
import type { Tokenize } from './tokenizer';

/** Prompts of random words, in place of those of a file. */
export interface MadePrompts {
  readonly count: number;
  /** Tokens, without the prefix. */
  readonly mean: number;
  readonly stddev: number;
  /** Tokens that every prompt begins with; 0: none. */
  readonly prefixTokens: number;
  readonly prefixCount: number;
  readonly seed: number;
}

/** Words behind others take the same tokens in nearly every tokenizer; where not, words are exchanged so often. */
const mostTries = 24;

interface Word {
  readonly text: string;
  /** Tokens that it adds behind another word. */
  readonly tokens: number;
}

/** In ascending order of their tokens. */
function wordsOf(tokenize: Tokenize): readonly Word[] {
  const alone = tokenize('the').length;
  return promptWords
    .map((text) => ({ text, tokens: Math.max(1, tokenize(`the ${text}`).length - alone) }))
    .toSorted((one, other) => one.tokens - other.tokens);
}

/** Number of words that add at most so many tokens. */
function fitting(words: readonly Word[], tokens: number): number {
  let count = words.length;
  while (count > 0 && (words[count - 1]?.tokens ?? 0) > tokens) count -= 1;
  return count;
}

class Writer {
  private readonly words: readonly Word[];

  constructor(
    private readonly tokenize: Tokenize,
    private readonly next: () => number,
  ) {
    this.words = wordsOf(tokenize);
  }

  /** A text of so many tokens that begins with another; the nearest that was found, where words do not add up to it. */
  write(begin: { readonly text: string; readonly tokens: number }, tokens: number) {
    const added: Word[] = [];
    let { text, tokens: length } = begin;
    let nearest = { text, tokens: Infinity };
    for (let tries = 0; tries < mostTries; tries += 1) {
      if (!this.fill(added, tokens - length)) break;
      text = [...(begin.text === '' ? [] : [begin.text]), ...added.map((word) => word.text)].join(' ');
      length = this.tokenize(text).length;
      if (Math.abs(length - tokens) < Math.abs(nearest.tokens - tokens)) nearest = { text, tokens: length };
      if (length === tokens) break;
    }
    return nearest;
  }

  /** Adds words for so many tokens, or takes some away. @returns false: it changed nothing */
  private fill(added: Word[], missing: number): boolean {
    const { words } = this;
    let left = missing;
    let changed = false;
    const drop = () => {
      left += added.pop()?.tokens ?? 0;
      changed = true;
    };
    while (left < 0 && added.length > 0) drop();
    // In place of one word others may add up to what is missing.
    if (left > 0 && added.length > 0 && fitting(words, left) === 0) drop();
    while (left > 0) {
      const choice = fitting(words, left);
      // A prompt has a word, however long.
      const shortest = added.length === 0 ? words[0] : undefined;
      const word = choice === 0 ? shortest : words[Math.floor(this.next() * choice)];
      if (word === undefined) break;
      added.push(word);
      left -= word.tokens;
      changed = true;
    }
    return changed;
  }
}

const lengthsOf = ({ count, mean, stddev }: MadePrompts, next: () => number): readonly number[] => {
  const normal = normals(next);
  return Array.from({ length: count }, () => Math.max(1, Math.round(mean + stddev * normal())));
};

/** The same for the same seed. @returns the prompts with their tokens, a shared prefix among them */
export function makePrompts(
  asked: MadePrompts,
  tokenize: Tokenize,
): readonly (Prompt & { readonly tokens: number })[] {
  const next = createRandom(asked.seed);
  const writer = new Writer(tokenize, next);
  const { prefixTokens, prefixCount } = asked;
  const none = { text: '', tokens: 0 };
  const prefixes = Array.from({ length: prefixTokens === 0 ? 0 : prefixCount }, () =>
    writer.write(none, prefixTokens),
  );
  return lengthsOf(asked, next).map((length) => {
    const prefix = prefixes[Math.floor(next() * prefixes.length)] ?? none;
    const { text, tokens } = writer.write(prefix, prefix.tokens + length);
    return { text, messages: null, tokens };
  });
}
