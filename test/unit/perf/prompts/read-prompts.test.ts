import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PromptSource, storePrompts } from '../../../../main/perf/prompts/read-prompts';
import { rejection } from '../../../support/rejection';
import { smallTokenizer, tokenizerFile } from '../../../support/tokenizers';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'prompts-'));
});
afterEach(() => rm(dir, { recursive: true }));

const ask = { endpoint: 'completions', modelName: 'llm', inputs: [] } as const;

/** The prompts of the stored requests. */
async function stored(source: Omit<PromptSource, keyof typeof ask>) {
  const data = await storePrompts({ ...ask, ...source }, join(dir, 'stored'));
  const files = data.tensors[0]?.files ?? [];
  const bodies = await Promise.all(files.map((file) => readFile(join(dir, 'stored', file))));
  const texts = bodies.map((body) => (JSON.parse(body.toString('utf8', 4)) as { prompt: string }).prompt);
  return { data, texts };
}

async function promptsFile(...lines: readonly object[]): Promise<string> {
  const path = join(dir, 'prompts.jsonl');
  await writeFile(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return path;
}

describe('stored prompts', () => {
  it('are a request each, with their tokens where a tokenizer counts them', async () => {
    const texts = ['What is Triton?', 'The server sends many tokens.'];
    const path = await promptsFile(...texts.map((text) => ({ text })));
    expect((await stored({ path })).data).not.toHaveProperty('promptTokens');
    const tokenizer = tokenizerFile('bpe');
    const found = await stored({ path, tokenizer });
    expect(found.texts).toEqual(texts);
    const [first = 0, second = 0] = texts.map((text) => smallTokenizer('bpe')(text).length);
    expect(found.data.promptTokens).toEqual({
      avg: (first + second) / 2,
      min: Math.min(first, second),
      max: Math.max(first, second),
    });
  });

  it('have no number of tokens with messages, to which a server adds its template', async () => {
    const path = await promptsFile({ text: 'a' }, { messages: [{ role: 'user', content: 'a' }] });
    const source = { ...ask, endpoint: 'chat' as const, path, tokenizer: tokenizerFile('bpe') };
    expect(await storePrompts(source, join(dir, 'chat'))).not.toHaveProperty('promptTokens');
  });

  it('are made in place of those of a file', async () => {
    const tokenizer = tokenizerFile('unigram');
    const made = { count: 12, mean: 30, stddev: 0, prefixTokens: 10, prefixCount: 2, seed: 1 };
    const { data, texts } = await stored({ path: tokenizer, tokenizer, made });
    expect(data.promptTokens).toEqual({ avg: 40, min: 40, max: 40 });
    expect(texts.map((text) => smallTokenizer('unigram')(text).length)).toEqual(Array(12).fill(40));
  });

  it('name the file that is not read', async () => {
    const path = join(dir, 'none.jsonl');
    expect(await rejection(storePrompts({ ...ask, path }, dir))).toMatchObject({
      ...{ code: 'input-invalid', where: path },
    });
    const tokenizer = await promptsFile({ text: 'a' });
    expect(await rejection(storePrompts({ ...ask, path: tokenizer, tokenizer }, dir))).toMatchObject({
      message: expect.stringContaining('not a tokenizer') as unknown,
    });
  });
});
