import { invalidInput } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import { isTree, type Tree } from '../../contract/trees';

/** What a language model is asked. */
export interface Prompt {
  readonly text: string | null;
  /** Messages of a chat, sent as they are; null: a text. */
  readonly messages: readonly Tree[] | null;
  /** Length of this prompt's output; absent: the load's. */
  readonly outputTokens?: number;
}

/** Names of a text, those of GenAI-Perf and AIPerf among them. */
const textNames = ['text', 'text_input', 'prompt'] as const;
const lengthNames = ['output_length', 'max_tokens'] as const;

const everyForm =
  'Each line is a JSON object with "text", "text_input", "prompt" or "messages", for example {"text": "What is Triton?"}.';

const problem = (where: string, message: string) => invalidInput(where, message, everyForm);

function objectOf(line: string, where: string): Tree {
  try {
    const value: unknown = JSON.parse(line);
    if (isTree(value)) return value;
  } catch {
    throw problem(where, 'The line is not JSON');
  }
  throw problem(where, 'The line is not a JSON object');
}

function messagesOf(value: unknown, where: string): readonly Tree[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  const messages = all.filter(isTree);
  if (
    messages.length === 0 ||
    messages.length < all.length ||
    messages.some(({ role }) => typeof role !== 'string')
  )
    throw problem(where, '"messages" is not a list of objects with a "role"');
  return messages;
}

/** AIPerf also writes one text as a list. */
function textOf(row: Tree, where: string): string | null {
  const names = [...textNames, 'texts'].filter((name) => row[name] !== undefined && row[name] !== null);
  const [name, second] = names;
  if (name === undefined) return null;
  if (second !== undefined) throw problem(where, `"${name}" and "${second}" cannot be used together`);
  const value = row[name];
  const [only, ...others] = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (others.length > 0) throw problem(where, `"${name}" has several texts: a request has one`);
  if (typeof only !== 'string' || only === '') throw problem(where, `"${name}" is not a text`);
  return only;
}

function lengthOf(row: Tree, where: string): number | undefined {
  const name = lengthNames.find((one) => row[one] !== undefined && row[one] !== null);
  if (name === undefined) return undefined;
  const value = row[name];
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw problem(where, `"${name}" is not a number of tokens`);
}

function promptOf(row: Tree, where: string): Prompt {
  if (row['turns'] !== undefined)
    throw problem(where, 'A conversation of several turns is not sent: each request is a prompt of its own');
  const text = textOf(row, where);
  const { messages: given } = row;
  if (text === null && given === undefined) throw problem(where, 'The line has no prompt');
  if (text !== null && given !== undefined)
    throw problem(where, 'A text and "messages" cannot be used together');
  const outputTokens = lengthOf(row, where);
  return {
    text,
    messages: text === null ? messagesOf(given, where) : null,
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}

/** Empty lines are skipped. Throws input-invalid, naming file and line. */
export function parsePrompts(text: string, file: string): readonly Prompt[] {
  const prompts: Prompt[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const where = `${file}, line ${index + 1}`;
    if (prompts.length === fileLimits.prompts.prompts)
      throw problem(where, `More than ${fileLimits.prompts.prompts} prompts: at most so many are read`);
    prompts.push(promptOf(objectOf(line, where), where));
  }
  if (prompts.length === 0) throw problem(file, 'The file has no prompt');
  return prompts;
}
