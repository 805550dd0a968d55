import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileLimits } from '../../../../main/contract/reader-limits';
import { countTokens, parseTokenizer } from '../../../../main/perf/prompts/tokenizer';
import { rejection } from '../../../support/rejection';
import {
  smallTokenizer,
  tokenizerFile,
  tokenizerNames,
  tokenizerText,
  tokenVectors,
} from '../../../support/tokenizers';

describe('a tokenizer', () => {
  it.each(tokenizerNames)('cuts texts as the library that wrote it: %s', (name) => {
    const tokenize = smallTokenizer(name);
    for (const { text, tokens } of tokenVectors[name]) expect(tokenize(text), text).toEqual(tokens);
  });

  it('counts texts of a list, the same one as often as it is there', async () => {
    const [first = { text: '', tokens: [] }, second = first] = tokenVectors.bpe;
    const texts = [first.text, second.text, first.text, ''];
    const counts = [first, second, first].map(({ tokens }) => tokens.length);
    expect(await countTokens({ path: tokenizerFile('bpe'), texts })).toEqual([...counts, 0]);
  });

  it('is found in the folder of its model', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tokenizer-'));
    await writeFile(join(dir, 'tokenizer.json'), tokenizerText('wordpiece'));
    const texts = tokenVectors.wordpiece.map(({ text }) => text);
    expect(await countTokens({ path: dir, texts })).toEqual(
      tokenVectors.wordpiece.map(({ tokens }) => tokens.length),
    );
    await rm(dir, { recursive: true });
  });

  it('may leave out the type of its model, as older files do, and the pairs of its merges', () => {
    const document = JSON.parse(tokenizerText('bpe')) as {
      readonly model: { readonly type: string; readonly merges: readonly (readonly string[])[] };
    };
    const merges = document.model.merges.map((pair) => pair.join(' '));
    const older = { ...document, model: { ...document.model, type: undefined, merges } };
    const tokenize = parseTokenizer(JSON.stringify(older), 'older.json');
    for (const { text, tokens } of tokenVectors.bpe) expect(tokenize(text)).toEqual(tokens);
  });
});

const words = { a: 0, b: 1 };
const bpe = { type: 'BPE', vocab: words, merges: [] };
const unigram = { type: 'Unigram', vocab: [['a', -1]], unk_id: 0 };
const nested = (depth: number): string =>
  `${'{"type":"Sequence","pretokenizers":['.repeat(depth)}{"type":"Whitespace"}${']}'.repeat(depth)}`;

describe('a file that is no tokenizer', () => {
  it.each([
    ['plain text', 'cannot be read'],
    ['[]', 'it has no "model"'],
    ['{"model": "bpe"}', 'it has no "model"'],
    [{ model: { type: 'WordLevel', vocab: words } }, 'of the kind "WordLevel"'],
    [{ model: { vocab: words } }, 'of the kind null'],
    [{ model: { ...bpe, vocab: ['a'] } }, 'not an object of token ids'],
    [{ model: { ...bpe, vocab: { a: -1 } } }, 'an id that is not a number'],
    [{ model: { ...bpe, vocab: { a: 4_000_000_000 } } }, 'an id that is not a number'],
    [{ model: { ...bpe, merges: 'a b' } }, '"model.merges" is not a list'],
    [{ model: { ...bpe, merges: [['a', 'b'], ['a']] } }, 'not a pair of tokens'],
    [{ model: { ...bpe, merges: ['a b', 'ab'] } }, 'not a pair of tokens'],
    [{ model: { type: 'WordPiece', vocab: words } }, '"model.unk_token" is not a text'],
    [{ model: { ...unigram, vocab: [['a', 'b']] } }, 'not a token with a score'],
    [{ model: { ...unigram, unk_id: 7 } }, '"model.unk_id" is not the id of a token'],
    [{ model: bpe, added_tokens: {} }, '"added_tokens" is not a list'],
    [{ model: bpe, added_tokens: [{ id: 1, content: '' }] }, 'without an id or a text'],
    [{ model: bpe, pre_tokenizer: { type: 'Nothing' } }, 'not supported'],
    [{ model: bpe, pre_tokenizer: { type: 'Split', pattern: { Regex: '(' } } }, 'not supported'],
  ])('is refused: %j', (document, message) => {
    const text = typeof document === 'string' ? document : JSON.stringify(document);
    expect(() => parseTokenizer(text, '/t/tokenizer.json')).toThrow(
      expect.objectContaining({
        code: 'input-invalid',
        where: '/t/tokenizer.json',
        message: expect.stringContaining(message) as unknown,
      }) as Error,
    );
  });

  it('is refused where its parts are within each other without end', () => {
    const text = `{"model": ${JSON.stringify(bpe)}, "pre_tokenizer": ${nested(20_000)}}`;
    expect(() => parseTokenizer(text, 'deep.json')).toThrow('not supported');
  });

  it('is refused before it is parsed where it has too many tokens, and unread where it does not exist', async () => {
    const many = `{"model": {"vocab": {${'"a":0,'.repeat(fileLimits.json.members)}"b":1}}}`;
    expect(() => parseTokenizer(many, 'large.json')).toThrow('members of objects');
    const path = join('/nowhere', 'tokenizer.json');
    expect(await rejection(countTokens({ path, texts: ['a'] }))).toMatchObject({
      ...{ code: 'input-invalid', where: path },
      message: 'The tokenizer cannot be read: it does not exist',
    });
  });
});
