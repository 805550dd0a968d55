import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTokenizer } from '../../main/perf/prompts/tokenizer';

const folder = join(process.cwd(), 'test', 'fixtures', 'tokenizers');

/** Small tokenizers that the library "tokenizers" trained and wrote. */
export const tokenizerNames = ['bpe', 'wordpiece', 'unigram'] as const;
export type TokenizerName = (typeof tokenizerNames)[number];

export const tokenizerFile = (name: TokenizerName): string => join(folder, `${name}.json`);

export const tokenizerText = (name: TokenizerName): string => readFileSync(tokenizerFile(name), 'utf8');

export const smallTokenizer = (name: TokenizerName) => parseTokenizer(tokenizerText(name), `${name}.json`);

/** How that library cuts texts. */
export const tokenVectors = JSON.parse(readFileSync(join(folder, 'vectors.json'), 'utf8')) as Readonly<
  Record<TokenizerName, readonly { readonly text: string; readonly tokens: readonly string[] }[]>
>;
