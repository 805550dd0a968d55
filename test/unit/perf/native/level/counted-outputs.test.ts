import { describe, expect, it } from 'vitest';
import { fileLimits } from '../../../../../main/contract/reader-limits';
import { withCountedOutputs } from '../../../../../main/perf/native/level/counted-outputs';
import type { MeasuredWindow } from '../../../../../main/perf/native/level/level-result';
import { TokenRecorder } from '../../../../../main/perf/token-recorder';

const job = { endpoint: 'chat', budgets: {}, keepsTexts: true } as const;

/** Of a window only what is counted. */
function windowOf(...texts: readonly string[]): MeasuredWindow {
  const recorder = new TokenRecorder(true, {}, true);
  for (const text of texts) recorder.add(0, { contentUs: [80_000, 100_000], text });
  return { recorded: { tokens: recorder.data() } } as unknown as MeasuredWindow;
}

async function counted(windows: readonly MeasuredWindow[], fails = false) {
  const asked: (readonly string[])[] = [];
  const lines: string[] = [];
  const found = await withCountedOutputs(windows, job, {
    countTokens: (texts) => {
      asked.push(texts);
      return fails
        ? Promise.reject(new Error('stopped'))
        : Promise.resolve(texts.map(({ length }) => length));
    },
    onLog: (more) => lines.push(...more),
  });
  return { found: found.map(({ recorded }) => recorded.tokens), asked, lines };
}

describe('the outputs of a level', () => {
  it('are counted once each, and of the windows that its result is made of', async () => {
    const windows = [windowOf('early'), windowOf('aa', 'bbb'), windowOf('aa'), windowOf('aa')];
    const { found, asked } = await counted(windows);
    expect(asked).toEqual([['aa', 'bbb']]);
    expect(found.map((tokens) => tokens?.byTokenizer?.tokens)).toEqual([undefined, 5, 2, 2]);
    for (const tokens of found) expect(tokens).not.toHaveProperty('outputs');
    // A further turn counts only what is new.
    const more = await withCountedOutputs(
      found.map((tokens) => ({ recorded: { tokens } }) as unknown as MeasuredWindow),
      job,
      { countTokens: () => Promise.reject(new Error('nothing to count')), onLog: () => undefined },
    );
    expect(more.map(({ recorded }) => recorded.tokens?.byTokenizer?.tokens)).toEqual([undefined, 5, 2, 2]);
  });

  it('are counted in parts where they are long', async () => {
    const long = (letter: string) => letter.repeat(0.6 * fileLimits.outputTexts.part);
    const { asked, found } = await counted([windowOf(long('a'), long('b'), 'c')]);
    expect(asked.map((texts) => texts.map(([first]) => first))).toEqual([['a'], ['b', 'c']]);
    expect(found[0]?.byTokenizer?.tokens).toBe(2 * long('a').length + 1);
  });

  it('leave the answers to be counted where the tokenizer fails, and say why', async () => {
    const { found, lines } = await counted([windowOf('aa')], true);
    expect(lines).toEqual(['Output tokens are not counted by the tokenizer: stopped']);
    expect(found[0]).not.toHaveProperty('byTokenizer');
    expect(found[0]).not.toHaveProperty('outputs');
  });
});
