import { describe, expect, it } from 'vitest';
import { parsePrompts } from '../../../../main/perf/prompts/parse-prompts';

const read = (...lines: readonly unknown[]) =>
  parsePrompts(
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    'p.jsonl',
  );

describe('a file of prompts', () => {
  it('takes the forms of GenAI-Perf, AIPerf and OpenAI', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ];
    expect(
      read(
        { text: 'a' },
        '',
        { text_input: 'b', image: null },
        { prompt: 'c' },
        { texts: ['d'] },
        { messages },
      ),
    ).toEqual([
      { text: 'a', messages: null },
      { text: 'b', messages: null },
      { text: 'c', messages: null },
      { text: 'd', messages: null },
      { text: null, messages },
    ]);
  });

  it('takes the length of a prompt’s output, and lines of Windows', () => {
    expect(read('\uFEFF{"text": "a", "output_length": 5}\r')).toEqual([
      { text: 'a', messages: null, outputTokens: 5 },
    ]);
    expect(read({ text: 'a', max_tokens: 9 })[0]?.outputTokens).toBe(9);
  });

  it.each([
    [['plain words'], 'p.jsonl, line 1', 'The line is not JSON'],
    [[{ text: 'a' }, '"b"'], 'p.jsonl, line 2', 'not a JSON object'],
    [[{ question: 'a' }], 'p.jsonl, line 1', 'has no prompt'],
    [[{ text: 'a', prompt: 'b' }], 'p.jsonl, line 1', '"text" and "prompt" cannot be used together'],
    [[{ text: 'a', messages: [] }], 'p.jsonl, line 1', 'A text and "messages" cannot be used together'],
    [[{ text: '' }], 'p.jsonl, line 1', '"text" is not a text'],
    [[{ texts: ['a', 'b'] }], 'p.jsonl, line 1', 'several texts'],
    [[{ messages: [{ content: 'a' }] }], 'p.jsonl, line 1', 'not a list of objects with a "role"'],
    [[{ turns: [{ text: 'a' }] }], 'p.jsonl, line 1', 'several turns'],
    [[{ text: 'a', output_length: 0 }], 'p.jsonl, line 1', 'not a number of tokens'],
    [[''], 'p.jsonl', 'The file has no prompt'],
  ])('refuses %j', (lines, where, message) => {
    expect(() => read(...lines)).toThrow(
      expect.objectContaining({ where, message: expect.stringContaining(message) as unknown }) as Error,
    );
  });
});
