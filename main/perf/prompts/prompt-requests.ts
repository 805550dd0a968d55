import { invalidInput } from '../../contract/errors';
import { type Endpoint, isStreamed } from '../../contract/load/generation';
import { encodeTexts, encodeValues } from '../../triton/encode-values';
import type { InputEntry, ReadInput, SampleTensor, WantedTensor } from '../input/wanted-tensor';
import type { Prompt } from './parse-prompts';

/** How prompts are asked. */
export interface PromptAsk {
  readonly endpoint: Endpoint;
  readonly modelName: string;
  /** Exact length of every output; absent: the server ends it. */
  readonly outputTokens?: number | undefined;
  /** Of the model; empty: not known, as OpenAI's protocol has none. */
  readonly inputs: readonly WantedTensor[];
}

/** The output is cut by its length, never by the model, and the same each time. */
const fixedLength = (tokens: number | undefined) =>
  tokens === undefined ? {} : { max_tokens: tokens, ignore_eos: true, temperature: 0 };

const textOnly = (prompt: Prompt, where: string): string => {
  if (prompt.text !== null) return prompt.text;
  throw invalidInput(
    where,
    'A prompt of chat messages goes only to the endpoint "chat"',
    'Give it as {"text": …}, or choose the endpoint "chat".',
  );
};

/** The JSON of a request of text. Throws input-invalid for messages to another endpoint than chat. */
export function promptBody(
  prompt: Prompt,
  { endpoint, modelName, outputTokens, inputs }: PromptAsk,
  where: string,
): string {
  const length = fixedLength(prompt.outputTokens ?? outputTokens);
  const stream = isStreamed(endpoint);
  if (endpoint === 'generate' || endpoint === 'generate-stream') {
    // The output is then the answer's tokens only.
    const excludes = inputs.some(({ name }) => name === 'exclude_input_in_output');
    const only = excludes ? { exclude_input_in_output: true } : {};
    return JSON.stringify({ text_input: textOnly(prompt, where), stream, ...only, ...length });
  }
  const asked =
    endpoint === 'chat'
      ? { messages: prompt.messages ?? [{ role: 'user', content: prompt.text }] }
      : { prompt: textOnly(prompt, where) };
  const options = { stream, stream_options: { include_usage: true } };
  return JSON.stringify({ model: modelName, ...asked, ...options, ...length });
}

/** One value per request. */
const single = (shape: readonly number[]): readonly number[] => shape.map((size) => (size < 0 ? 1 : size));

const requestTensor: WantedTensor = { name: 'request', datatype: 'BYTES', shape: [1] };

/** The input for the prompt: `text_input`, or the only text that the model needs. Throws input-invalid. */
function textInput(inputs: readonly WantedTensor[], where: string): WantedTensor {
  const texts = inputs.filter(({ datatype }) => datatype === 'BYTES');
  const needed = texts.filter(({ optional = false }) => !optional);
  const found =
    texts.find(({ name }) => name === 'text_input') ?? (needed.length === 1 ? needed[0] : undefined);
  if (found !== undefined) return found;
  throw invalidInput(
    where,
    'The model has neither an input "text_input" nor exactly one other text input',
    'Give its tensors with --input-data.',
  );
}

/** What inputs of language models other than the prompt are for, by name, as the backends of vLLM and TensorRT-LLM have them. */
function valueOf({ name, datatype }: WantedTensor, tokens: number | undefined): Buffer | null {
  if (name === 'stream' || name === 'exclude_input_in_output') return encodeValues(datatype, [true]);
  if (tokens === undefined) return null;
  if (name === 'sampling_parameters') return encodeTexts([JSON.stringify(fixedLength(tokens))]);
  return name === 'max_tokens' ? encodeValues(datatype, [tokens]) : null;
}

function tensorsOf(prompt: Prompt, ask: PromptAsk, where: string): InputEntry {
  const text = textInput(ask.inputs, where);
  const tokens = prompt.outputTokens ?? ask.outputTokens;
  const takesLength = ask.inputs.some(({ name }) => name === 'sampling_parameters' || name === 'max_tokens');
  if (tokens !== undefined && !takesLength) {
    throw invalidInput(
      where,
      'The output length of the model cannot be set: it has no input "sampling_parameters" or "max_tokens"',
      'Leave the output tokens out.',
    );
  }
  const entry = new Map<string, SampleTensor>();
  for (const input of ask.inputs) {
    const data = input === text ? encodeTexts([textOnly(prompt, where)]) : valueOf(input, tokens);
    if (data !== null) entry.set(input.name, { shape: single(input.shape), data });
    else if (input.optional !== true) {
      throw invalidInput(
        where,
        `The model also needs the input "${input.name}", which a prompt does not have`,
        'Give its tensors with --input-data.',
      );
    }
  }
  return entry;
}

/** Requests of prompts as input data: of text one tensor, the JSON of the request. Throws input-invalid. */
export function promptRequests(
  prompts: readonly Prompt[],
  ask: PromptAsk,
  file: string,
): { readonly input: ReadInput; readonly wanted: readonly WantedTensor[] } {
  const isTensors = ask.endpoint === 'grpc-stream';
  const entries = prompts.map((prompt, index): InputEntry => {
    const where = `${file}, prompt ${index + 1}`;
    if (isTensors) return tensorsOf(prompt, ask, where);
    const data = encodeTexts([promptBody(prompt, ask, where)]);
    return new Map([[requestTensor.name, { shape: requestTensor.shape, data }]]);
  });
  return { input: { streams: [entries], expected: null }, wanted: isTensors ? ask.inputs : [requestTensor] };
}
