import { describe, expect, it } from 'vitest';
import { readTextAnswer } from '../../../../../main/perf/native/http1/text-answers';

const chat = (delta: object, more: object = {}) =>
  JSON.stringify({ choices: [{ index: 0, delta }], ...more });

describe('an event of a language model', () => {
  it('has content where a text is not empty', () => {
    expect(readTextAnswer('chat', chat({ role: 'assistant', content: '' })).content).toBe(false);
    expect(readTextAnswer('chat', chat({ content: ' a' })).content).toBe(true);
    expect(readTextAnswer('chat', chat({ reasoning_content: 'so' })).content).toBe(true);
    expect(readTextAnswer('chat', chat({ tool_calls: [{ index: 0 }] })).content).toBe(true);
    expect(readTextAnswer('chat', '{"choices": [{"delta": {}, "finish_reason": "stop"}]}').content).toBe(
      false,
    );
    expect(readTextAnswer('completions', '{"choices": [{"text": "a"}]}').content).toBe(true);
    expect(readTextAnswer('completions', '{"choices": [{"text": ""}]}').content).toBe(false);
  });

  it('has the usage of the server, in the event that has no choice', () => {
    expect(readTextAnswer('chat', '{"choices": [], "usage": {"completion_tokens": 7}}')).toEqual({
      ...{ content: false, text: '' },
      tokens: 7,
      error: null,
    });
    expect(readTextAnswer('chat', chat({ content: 'a' }, { usage: null })).tokens).toBeNull();
    expect(
      readTextAnswer('chat', chat({ content: 'a' }, { usage: { completion_tokens: -1 } })).tokens,
    ).toBeNull();
  });

  it('of the generate extension has an output, whose empty text is no token', () => {
    expect(readTextAnswer('generate-stream', '{"model_name": "m", "text_output": "a"}').content).toBe(true);
    expect(readTextAnswer('generate-stream', '{"text_output": ""}').content).toBe(false);
    expect(readTextAnswer('generate-stream', '{"text_output": ["", "b"]}').content).toBe(true);
    expect(readTextAnswer('generate', '{"answer": 1}').content).toBe(true);
  });

  it('has the text of its output, which a call of a tool is not', () => {
    expect(readTextAnswer('chat', chat({ reasoning_content: 'so ', content: 'yes' })).text).toBe('so yes');
    expect(readTextAnswer('chat', chat({ content: 'a', tool_calls: [{ index: 0 }] })).text).toBeNull();
    expect(readTextAnswer('completions', '{"choices": [{"text": "a"}, {"text": "b"}]}').text).toBe('ab');
    expect(readTextAnswer('generate-stream', '{"text_output": ["a", "b"]}').text).toBe('ab');
    expect(readTextAnswer('generate', '{"answer": 1}').text).toBeNull();
  });

  it('may be an error, of Triton or of OpenAI', () => {
    expect(readTextAnswer('generate-stream', '{"error": "out of memory"}').error).toBe('out of memory');
    expect(readTextAnswer('chat', '{"error": {"message": "too long", "code": 400}}').error).toBe('too long');
    expect(readTextAnswer('chat', '{"error": {"code": 400}}').error).toBe('{"code":400}');
  });

  it('is refused where it is no object', () => {
    expect(() => readTextAnswer('chat', '[1]')).toThrow('not a JSON object: [1]');
    expect(() => readTextAnswer('chat', '{"choices": [')).toThrow();
  });
});
