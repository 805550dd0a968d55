import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { invalidInput } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import { isTree, type Tree } from '../../contract/trees';
import { parseBoundedJson } from '../../platform/parse-json';
import { readBoundedFile } from '../../platform/plain-entry';

/** Tokens of a text, without those that a model adds at its begin and end. */
export type Tokenize = (text: string) => readonly string[];

const { bytes: mostBytes, entries: mostEntries, added: mostAdded } = fileLimits.tokenizer;

const remedy =
  'Name the tokenizer.json of the model, as the library "tokenizers" of Hugging Face writes it, with a model BPE, WordPiece or Unigram.';

const problem = (where: string, message: string) => invalidInput(where, message, remedy);

const isId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < mostEntries;

/** Older files leave the type out. */
function typeOf(model: Tree): string | null {
  const { type, vocab } = model;
  if (typeof type === 'string') return type;
  if (type !== undefined && type !== null) return null;
  if (Array.isArray(vocab)) return 'Unigram';
  if (model['merges'] !== undefined) return 'BPE';
  return typeof model['continuing_subword_prefix'] === 'string' ? 'WordPiece' : null;
}

/** null: well formed. */
function vocabularyProblem({ vocab }: Tree): string | null {
  if (!isTree(vocab) || Array.isArray(vocab)) return '"model.vocab" is not an object of token ids';
  const ids = Object.values(vocab);
  if (ids.length > mostEntries) return `"model.vocab" has more than ${mostEntries} tokens`;
  return ids.every(isId) ? null : `"model.vocab" has an id that is not a number from 0 to ${mostEntries - 1}`;
}

const isPair = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');

function mergesProblem({ merges }: Tree): string | null {
  if (!Array.isArray(merges)) return '"model.merges" is not a list';
  if (merges.length > mostEntries) return `"model.merges" has more than ${mostEntries} entries`;
  const [first] = merges as readonly unknown[];
  const isMerge =
    typeof first === 'string'
      ? (one: unknown) => typeof one === 'string' && /^[^ ]+ [^ ]+$/.test(one)
      : isPair;
  return merges.every(isMerge) ? null : '"model.merges" has an entry that is not a pair of tokens';
}

function piecesProblem({ vocab, unk_id: unknown }: Tree): string | null {
  if (!Array.isArray(vocab) || vocab.length === 0) return '"model.vocab" is not a list of tokens with scores';
  if (vocab.length > mostEntries) return `"model.vocab" has more than ${mostEntries} tokens`;
  const isPiece = (one: unknown) =>
    Array.isArray(one) && one.length === 2 && typeof one[0] === 'string' && Number.isFinite(one[1]);
  if (!vocab.every(isPiece)) return '"model.vocab" has an entry that is not a token with a score';
  if (unknown === undefined || unknown === null) return null;
  return isId(unknown) && unknown < vocab.length ? null : '"model.unk_id" is not the id of a token';
}

const checks: Readonly<Record<string, (model: Tree) => string | null>> = {
  BPE: (model) => vocabularyProblem(model) ?? mergesProblem(model),
  WordPiece: (model) =>
    vocabularyProblem(model) ??
    (typeof model['unk_token'] === 'string' ? null : '"model.unk_token" is not a text'),
  Unigram: piecesProblem,
};

function addedProblem(added: unknown): string | null {
  if (!Array.isArray(added)) return '"added_tokens" is not a list';
  if (added.length > mostAdded) return `"added_tokens" has more than ${mostAdded} entries`;
  const isToken = (one: unknown) =>
    isTree(one) && isId(one['id']) && typeof one['content'] === 'string' && one['content'] !== '';
  return added.every(isToken) ? null : '"added_tokens" has an entry without an id or a text';
}

function documentOf(text: string, where: string): Tree {
  let document: unknown;
  try {
    document = parseBoundedJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw problem(
      where,
      `The tokenizer cannot be read: ${error instanceof Error ? error.message : 'no JSON'}`,
    );
  }
  if (!isTree(document) || !isTree(document['model']))
    throw problem(where, 'The file is not a tokenizer: it has no "model"');
  return document;
}

/** Throws input-invalid for what is not such a file, and for what the library does not have. */
export function parseTokenizer(text: string, where: string): Tokenize {
  const document = documentOf(text, where);
  const model = document['model'] as Tree;
  const type = typeOf(model);
  const check = type === null ? undefined : checks[type];
  if (type === null || check === undefined)
    throw problem(where, `The tokenizer is of the kind ${JSON.stringify(model['type'] ?? null)}`);
  const added = document['added_tokens'] ?? [];
  const wrong = check(model) ?? addedProblem(added);
  if (wrong !== null) throw problem(where, `The tokenizer is not valid: ${wrong}`);
  try {
    const tokenizer = new Library(
      {
        ...{ normalizer: document['normalizer'] ?? null, pre_tokenizer: document['pre_tokenizer'] ?? null },
        // What is made of tokens afterwards counts none.
        ...{ post_processor: null, decoder: null },
        ...{ added_tokens: added, model: { ...model, type } },
      },
      {},
    );
    // A token that the vocabulary lacks is left out, as the model has no id for it.
    const tokenize = (words: string) =>
      tokenizer.tokenize(words).filter((token: string | undefined) => token !== undefined);
    tokenize('What is Triton?');
    return tokenize;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw problem(where, `The tokenizer is not supported: ${reason.slice(0, 500)}`);
  }
}

/** @param path the file, or the folder of a model that has it. Throws input-invalid. */
export async function readTokenizer(path: string): Promise<Tokenize> {
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true;
  const file = isFolder ? join(path, 'tokenizer.json') : path;
  const found = await readBoundedFile(file, mostBytes, { links: 'follow' });
  if ('problem' in found) throw problem(file, `The tokenizer cannot be read: ${found.problem}`);
  return parseTokenizer(found.text, file);
}

/** A text that many requests were answered with is counted once. Throws input-invalid. */
export async function countTokens({
  path,
  texts,
}: {
  readonly path: string;
  readonly texts: readonly string[];
}): Promise<number[]> {
  const tokenize = await readTokenizer(path);
  const known = new Map<string, number>();
  return texts.map((text) => {
    const count = known.get(text) ?? tokenize(text).length;
    known.set(text, count);
    return count;
  });
}
