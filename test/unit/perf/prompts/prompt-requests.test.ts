import { describe, expect, it } from 'vitest';
import type { WantedTensor } from '../../../../main/perf/input/wanted-tensor';
import { promptBody, promptRequests } from '../../../../main/perf/prompts/prompt-requests';

const text = { text: 'Hi', messages: null };
const body = (
  endpoint: Parameters<typeof promptBody>[1]['endpoint'],
  outputTokens?: number,
  prompt: Parameters<typeof promptBody>[0] = text,
) =>
  JSON.parse(
    promptBody(prompt, { endpoint, modelName: 'llm', outputTokens, inputs: [] }, 'p, prompt 1'),
  ) as unknown;

const fixed = { max_tokens: 8, ignore_eos: true, temperature: 0 };
const streamed = { stream: true, stream_options: { include_usage: true } };

describe('a request of text', () => {
  it('is of its endpoint, with an output of a fixed length where one is asked for', () => {
    expect(body('generate-stream')).toEqual({ text_input: 'Hi', stream: true });
    expect(body('generate', 8)).toEqual({ text_input: 'Hi', stream: false, ...fixed });
    expect(body('completions')).toEqual({ model: 'llm', prompt: 'Hi', ...streamed });
    expect(body('chat', 8)).toEqual({
      model: 'llm',
      messages: [{ role: 'user', content: 'Hi' }],
      ...streamed,
      ...fixed,
    });
  });

  it('leaves the prompt out of the output where the model can', () => {
    const inputs = [input('text_input', 'BYTES'), input('exclude_input_in_output', 'BOOL', true)];
    const ask = { endpoint: 'generate', modelName: 'llm', inputs } as const;
    expect(JSON.parse(promptBody(text, ask, 'p'))).toMatchObject({ exclude_input_in_output: true });
  });

  it('sends messages as they are, and the length of its own line', () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
    expect(body('chat', 8, { text: null, messages, outputTokens: 3 })).toMatchObject({
      messages,
      max_tokens: 3,
    });
    expect(() => body('completions', 8, { text: null, messages })).toThrow('only to the endpoint "chat"');
  });
});

const input = (name: string, datatype: WantedTensor['datatype'], optional = false): WantedTensor => ({
  name,
  datatype,
  shape: [-1],
  optional,
});
const vllm = [
  input('text_input', 'BYTES'),
  input('image', 'BYTES', true),
  input('stream', 'BOOL', true),
  input('sampling_parameters', 'BYTES', true),
];

function tensors(inputs: readonly WantedTensor[], outputTokens?: number) {
  const { input: read } = promptRequests(
    [text],
    { endpoint: 'grpc-stream', modelName: 'llm', outputTokens, inputs },
    'p',
  );
  return Object.fromEntries(
    [...(read.streams[0]?.[0] ?? [])].map(([name, { shape, data }]) => {
      expect(shape).toEqual([1]);
      return [name, data.toString('latin1')];
    }),
  );
}

describe('a request of tensors', () => {
  it('has what the backends of vLLM and TensorRT-LLM take', () => {
    expect(tensors(vllm)).toEqual({ text_input: '\x02\0\0\0Hi', stream: '\x01' });
    const { sampling_parameters: sampling = '' } = tensors(vllm, 8);
    expect(JSON.parse(sampling.slice(4))).toEqual(fixed);
    expect(tensors([input('text_input', 'BYTES'), input('max_tokens', 'INT32')], 8)['max_tokens']).toBe(
      '\x08\0\0\0',
    );
  });

  it('finds the only text that a model needs, and refuses what a prompt does not have', () => {
    expect(tensors([input('PROMPT', 'BYTES'), input('hint', 'BYTES', true)])).toEqual({
      PROMPT: '\x02\0\0\0Hi',
    });
    expect(() => tensors([input('a', 'BYTES'), input('b', 'BYTES')])).toThrow(
      'neither an input "text_input" nor',
    );
    expect(() => tensors([input('text_input', 'BYTES'), input('top_k', 'INT32')])).toThrow(
      'also needs the input "top_k"',
    );
    expect(() => tensors([input('text_input', 'BYTES')], 8)).toThrow(
      'output length of the model cannot be set',
    );
  });
});
