import type { Endpoint } from '../../../contract/load/generation';
import { isTree } from '../../../contract/trees';
import { parseJson } from '../../../platform/parse-json';

/** What one event or reply says. */
export interface TextAnswer {
  /** It has a part of the output. */
  readonly content: boolean;
  /** That part; null: not only text, as a call of a tool. */
  readonly text: string | null;
  /** Output tokens of the whole request; null: not reported here. */
  readonly tokens: number | null;
  /** Error of the server; null: none. */
  readonly error: string | null;
}

/** OpenAI's mark of a complete stream. */
export const doneMark = '[DONE]';

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function errorOf(reply: Readonly<Record<string, unknown>>): string | null {
  const { error } = reply;
  if (error === undefined || error === null) return null;
  if (typeof error === 'string') return error;
  const message = isTree(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : JSON.stringify(error);
}

type Output = Pick<TextAnswer, 'content' | 'text'>;

const outputOf = (texts: readonly unknown[]): Output => {
  const found = texts.filter(isText);
  return { content: found.length > 0, text: found.join('') };
};

/** Reasoning and calls of tools are output too. */
function outputOfChoice(choice: unknown): Output {
  if (!isTree(choice)) return outputOf([]);
  const part = choice['delta'] ?? choice['message'];
  if (!isTree(part)) return outputOf([choice['text']]);
  const { content, reasoning_content: thought, reasoning, tool_calls: calls } = part;
  if (Array.isArray(calls) && calls.length > 0) return { content: true, text: null };
  return outputOf([thought, reasoning, content]);
}

function outputOfChoices(choices: unknown): Output {
  const outputs = (Array.isArray(choices) ? (choices as readonly unknown[]) : []).map(outputOfChoice);
  const texts = outputs.map(({ text }) => text);
  return {
    content: outputs.some(({ content }) => content),
    text: texts.includes(null) ? null : texts.join(''),
  };
}

function tokensOf({ usage }: Readonly<Record<string, unknown>>): number | null {
  const tokens = isTree(usage) ? usage['completion_tokens'] : null;
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null;
}

/** Of a Triton model each output is a member; an empty text does not count as a token. */
function outputOfModel({ text_output: text }: Readonly<Record<string, unknown>>): Output {
  if (Array.isArray(text)) return outputOf(text as readonly unknown[]);
  return typeof text === 'string' ? outputOf([text]) : { content: true, text: null };
}

/** @param data of an event or a whole reply. Throws an Error for anything but a JSON object. */
export function readTextAnswer(endpoint: Endpoint, data: string): TextAnswer {
  const reply = parseJson(data);
  if (!isTree(reply)) throw new Error(`an answer that is not a JSON object: ${data.slice(0, 100)}`);
  const error = errorOf(reply);
  if (error !== null) return { content: false, text: null, tokens: null, error };
  if (endpoint === 'generate' || endpoint === 'generate-stream')
    return { ...outputOfModel(reply), tokens: null, error: null };
  return { ...outputOfChoices(reply['choices']), tokens: tokensOf(reply), error: null };
}
