import { describe, expect, it } from 'vitest';
import {
  asksFrontend,
  endpointIn,
  measureFields,
} from '../../../../../renderer/views/measure/measure-fields';

const model = {
  name: 'bert',
  versions: ['1'],
  maxBatchSize: 8,
  dynamicInputs: [{ name: 'ids', dims: [-1] }],
};
const form = (generation: object) => ({ fields: { performance: { generation } } });
const names = (of: Parameters<typeof measureFields>[0]) =>
  measureFields(of, model).map(({ keys }) => keys.at(-1));

describe('the fields of a measurement', () => {
  it('are those of tensors, with the shapes of the model', () => {
    expect(names({ fields: {} })).toEqual([
      ...['endpoint', 'ids', 'batchSizes', 'concurrency', 'protocol', 'measurementIntervalMs'],
    ]);
  });

  it('are those of prompts with an endpoint: of a file, or made', () => {
    const file = ['endpoint', 'promptsFile', 'tokenizerFile', 'inputTokens', 'outputTokens'];
    const load = ['concurrency', 'measurementIntervalMs'];
    const budgets = ['ttftBudgetMs', 'itlBudgetMs'];
    expect(names(form({ endpoint: 'chat' }))).toEqual([...file, ...budgets, ...load]);
    expect(names(form({ endpoint: 'generate' }))).toEqual([...file, ...load]);
    expect(names(form({ endpoint: 'chat', inputTokens: 9, prefixTokens: 3 }))).toEqual([
      ...file.slice(0, 4),
      ...[
        'inputTokensStddev',
        'promptCount',
        'prefixTokens',
        'prefixCount',
        'outputTokens',
        ...budgets,
        ...load,
      ],
    ]);
  });

  it('tell a Triton from a server of OpenAI’s protocol', () => {
    expect(endpointIn({ fields: {} })).toBeNull();
    expect(endpointIn(form({ endpoint: 'other' }))).toBeNull();
    expect(asksFrontend(form({ endpoint: 'generate-stream' }))).toBe(false);
    expect(asksFrontend(form({ endpoint: 'completions' }))).toBe(true);
  });
});
