const punctuation = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g;
/** Words, also of letters that ASCII lacks, are not cut. */
const articles = /(?<![\p{L}\p{M}\p{N}_])(?:a|an|the)(?![\p{L}\p{M}\p{N}_])/gu;

const wordsOf = (text: string): readonly string[] => text.split(/\s+/u).filter((word) => word !== '');

/** Words of an answer as SQuAD compares them: in lower case, without punctuation of ASCII, and without articles. */
const answerWords = (text: string): readonly string[] =>
  wordsOf(text.toLowerCase().replace(punctuation, '').replace(articles, ' '));

/** 1: the same words in the same order; else 0. */
export const isExactMatch = (answer: string, truth: string): boolean =>
  answerWords(answer).join(' ') === answerWords(truth).join(' ');

/** Of the words that both have, each as often as in both: harmonic mean of precision and recall, 0 to 1. */
export function tokenF1(answer: string, truth: string): number {
  const [given, wanted] = [answerWords(answer), answerWords(truth)];
  if (given.length === 0 || wanted.length === 0) return given.length === wanted.length ? 1 : 0;
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of given) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    shared += 1;
    left.set(word, count - 1);
  }
  return (2 * shared) / (given.length + wanted.length);
}

/** Words of speech: in lower case, without punctuation except for apostrophes. */
const spokenWords = (text: string): readonly string[] =>
  wordsOf(
    text
      .toLowerCase()
      .replace(/[’‘]/g, "'")
      .replace(/(?!')[\p{P}\p{S}]/gu, ' '),
  );

/** Fewest insertions, deletions and replacements of words between two texts. */
function wordEdits(from: readonly string[], to: readonly string[]): number {
  let above = to.map((_word, at) => at + 1);
  for (const [row, word] of from.entries()) {
    let [diagonal, left] = [row, row + 1];
    const current: number[] = [];
    for (const [at, other] of to.entries()) {
      const up = above[at] ?? 0;
      left = Math.min(left + 1, up + 1, diagonal + (word === other ? 0 : 1));
      current.push(left);
      diagonal = up;
    }
    above = current;
  }
  return above.at(-1) ?? from.length;
}

/**
 * Edits of all texts per word of what was said, 0 at best; more than 1 where words are added. null: nothing was said.
 * @param pairs what was said, and what was heard
 */
export function wordErrorRate(
  pairs: readonly { readonly truth: string; readonly answer: string }[],
): number | null {
  let [edits, words] = [0, 0];
  for (const { truth, answer } of pairs) {
    const said = spokenWords(truth);
    edits += wordEdits(said, spokenWords(answer));
    words += said.length;
  }
  return words === 0 ? null : edits / words;
}
