import { expect, it } from 'vitest';
import { type BeforeLoad, loadQuestion } from '../../../../main/domain/study/load-question';

const before: BeforeLoad = {
  ...{ address: 'localhost:8000', tritonVersion: '2.51.0', models: ['bert'], mark: 'ab12cd34' },
  room: { hostBytes: 12 * 2 ** 30, gpuBytes: null },
};

it('asks with what is served there, what memory is left, and what alone is unloaded', () => {
  const { question, facts } = loadQuestion(before, 4);
  expect(question).toBe(
    'Load 4 configurations on Triton 2.51.0 at localhost:8000, and send load up to their limits?',
  );
  expect(facts).toEqual([
    '1 model is ready there: bert.',
    expect.stringMatching(/^Free memory: 12\.0 GiB\. .* twice the memory of the largest one so far is free/),
    expect.stringContaining('names begin with workbench-search-ab12cd34. The server is not restarted.'),
  ]);
});

it('names a few of many models, and says that there is none', () => {
  const factsOf = (models: readonly string[]) => loadQuestion({ ...before, models }, 2).facts[0];
  expect(factsOf([])).toBe('No model is ready there.');
  const names = Array.from({ length: 9 }, (_one, at) => `model-${at}`);
  expect(factsOf(names)).toBe(
    '9 models are ready there: model-0, model-1, model-2, model-3, model-4, model-5 and 3 more.',
  );
});

it('has the memory of the fullest GPU where the server reports it', () => {
  const room = { hostBytes: 2 ** 30, gpuBytes: 3 * 2 ** 30 };
  expect(loadQuestion({ ...before, room }, 2).facts[1]).toContain('1.0 GiB and 3.0 GiB on its fullest GPU');
});
