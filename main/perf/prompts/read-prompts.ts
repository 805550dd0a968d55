import { invalidInput } from '../../contract/errors';
import type { InputData } from '../../contract/measured/input-data';
import type { TokenCount } from '../../contract/measured/token-count';
import { fileLimits } from '../../contract/reader-limits';
import { present } from '../../contract/trees';
import { largestOf, smallestOf } from '../../domain/statistics';
import { readBoundedFile } from '../../platform/plain-entry';
import { storeInput } from '../input/read-input';
import { type MadePrompts, makePrompts } from './made-prompts';
import { parsePrompts, type Prompt } from './parse-prompts';
import { type PromptAsk, promptRequests } from './prompt-requests';
import { readTokenizer, type Tokenize } from './tokenizer';

/** Prompts of a file, or made ones, and how they are asked. */
export interface PromptSource extends PromptAsk {
  /** JSON lines, or the tokenizer where prompts are made. */
  readonly path: string;
  /** tokenizer.json; absent: tokens are not counted. */
  readonly tokenizer?: string | undefined;
  /** Absent: the file's. */
  readonly made?: MadePrompts | undefined;
}

async function promptsOfFile(path: string): Promise<readonly Prompt[]> {
  const found = await readBoundedFile(path, fileLimits.prompts.bytes, { links: 'follow' });
  if ('text' in found) return parsePrompts(found.text, path);
  throw invalidInput(
    path,
    `The prompts cannot be read: ${found.problem}`,
    'Name a file that exists, of at most 64 MiB.',
  );
}

function countOf(counts: readonly number[]): TokenCount {
  const sum = counts.reduce((total, count) => total + count, 0);
  return { avg: sum / counts.length, min: smallestOf(counts), max: largestOf(counts) };
}

/** undefined: messages of a chat, whose template only the server has. */
function countedPrompts(prompts: readonly Prompt[], tokenize: Tokenize): TokenCount | undefined {
  const texts = prompts.flatMap(({ text }) => text ?? []);
  return texts.length < prompts.length ? undefined : countOf(texts.map((text) => tokenize(text).length));
}

async function readPrompts({
  path,
  tokenizer,
  made,
}: PromptSource): Promise<{ readonly prompts: readonly Prompt[]; readonly tokens?: TokenCount | undefined }> {
  const tokenize = tokenizer === undefined ? null : await readTokenizer(tokenizer);
  if (made !== undefined && tokenize !== null) {
    const prompts = makePrompts(made, tokenize);
    return { prompts, tokens: countOf(prompts.map(({ tokens }) => tokens)) };
  }
  const prompts = await promptsOfFile(path);
  return { prompts, tokens: tokenize === null ? undefined : countedPrompts(prompts, tokenize) };
}

/** Writes a file per request. Throws input-invalid, naming file and line. */
export async function storePrompts(source: PromptSource, dir: string): Promise<InputData> {
  const { prompts, tokens } = await readPrompts(source);
  const { input, wanted } = promptRequests(prompts, source, source.path);
  const data = await storeInput(input, { inputs: wanted, outputs: [] }, dir);
  return { ...data, ...present({ promptTokens: tokens }) };
}
