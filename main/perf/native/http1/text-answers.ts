import type { Endpoint } from '../../../contract/load/generation';
import { isTree } from '../../../contract/trees';
import { parseJson } from '../../../platform/parse-json';

/** What one event or reply says. */
export interface TextAnswer {
  /** It has a part of the output. */
  readonly content: boolean;
  /** Output tokens of the whole request; null: not reported here. */
  readonly tokens: number | null;
  /** Error of the server; null: none. */
  readonly error: string | null;
}

/** OpenAI's mark of a complete stream. */
export const doneMark = '[DONE]';

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function errorOf(reply: Readonly<Record<string, unknown>>): string | null {
  const { error } = reply;
  if (error === undefined || error === null) return null;
  if (typeof error === 'string') return error;
  const message = isTree(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : JSON.stringify(error);
}

/** Reasoning and calls of tools are output too. */
function isOfChoice(choice: unknown): boolean {
  if (!isTree(choice)) return false;
  const part = choice['delta'] ?? choice['message'];
  if (!isTree(part)) return isText(choice['text']);
  const { content, reasoning_content: thought, reasoning, tool_calls: calls } = part;
  return [content, thought, reasoning].some(isText) || (Array.isArray(calls) && calls.length > 0);
}

function tokensOf({ usage }: Readonly<Record<string, unknown>>): number | null {
  const tokens = isTree(usage) ? usage['completion_tokens'] : null;
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null;
}

/** Of a Triton model each output is a member; an empty text does not count as a token. */
function hasOutput({ text_output: text }: Readonly<Record<string, unknown>>): boolean {
  if (text === undefined) return true;
  return Array.isArray(text) ? text.some(isText) : text !== '';
}

/** @param data of an event or a whole reply. Throws an Error for anything but a JSON object. */
export function readTextAnswer(endpoint: Endpoint, data: string): TextAnswer {
  const reply = parseJson(data);
  if (!isTree(reply)) throw new Error(`an answer that is not a JSON object: ${data.slice(0, 100)}`);
  const error = errorOf(reply);
  if (error !== null) return { content: false, tokens: null, error };
  if (endpoint === 'generate' || endpoint === 'generate-stream')
    return { content: hasOutput(reply), tokens: null, error: null };
  const { choices } = reply;
  return {
    content: Array.isArray(choices) && choices.some(isOfChoice),
    tokens: tokensOf(reply),
    error: null,
  };
}
