import { expect, it } from 'vitest';
import type { Truth } from '../../../../main/contract/measured/task-figures';
import type { DecodedTensor } from '../../../../main/domain/outputs/decoded-tensor';
import { taskFiguresOf } from '../../../../main/domain/outputs/task-figures';

type Values = Readonly<Record<string, readonly string[] | readonly number[]>>;
const tensors = (values: Values): DecodedTensor[] =>
  Object.entries(values).map(([name, list]) => ({
    ...{ name, shape: [1, list.length], values: list },
    datatype: typeof list[0] === 'string' ? 'BYTES' : 'FP32',
  }));
const sample = (truth: Truth, framework: Values, triton: Values = framework) => ({
  ...{ truth, framework: tensors(framework), triton: tensors(triton) },
});
/** Values of Triton by name. */
const figures = (...samples: Parameters<typeof taskFiguresOf>[0]) =>
  Object.fromEntries(taskFiguresOf(samples).map(({ name, triton }) => [name, triton]));

it('of classes are the share of right ones, and F1 with the same weight for each label', () => {
  const classified = (wanted: string, given: string) =>
    sample({ kind: 'label', label: wanted }, { LABEL: [given], SCORE: [0.9] });
  // a: 2 right of 3 wanted and 3 given: 2/3. b: 1 of 2 wanted and 1 given: 2/3. c: given once, never wanted: 0.
  const found = figures(
    ...[classified('a', 'a'), classified('a', 'a'), classified('a', 'c')],
    ...[classified('b', 'b'), classified('b', 'a')],
  );
  expect(found['accuracy']).toBeCloseTo(3 / 5, 12);
  expect(found['macro-f1']).toBeCloseTo((2 / 3 + 2 / 3 + 0) / 3, 12);
});

it('are apart for the framework and Triton', () => {
  const truth = { kind: 'label', label: 'a' } as const;
  expect(taskFiguresOf([sample(truth, { LABEL: ['a'] }, { LABEL: ['b'] })])).toEqual([
    { name: 'accuracy', framework: 1, triton: 0 },
    { name: 'macro-f1', framework: 1, triton: 0 },
  ]);
});

it('of entities need label, start and end, and leave filled places aside', () => {
  const truth: Truth = {
    kind: 'entities',
    entities: [
      { start: 0, end: 4, label: 'PER' },
      { start: 8, end: 12, label: 'LOC' },
      { start: 20, end: 25, label: 'LOC' },
    ],
  };
  const answer = { LABEL: ['PER', 'PER', 'LOC', ''], START: [0, 8, 20, 0], END: [4, 12, 24, 0] };
  // One of three is right of three.
  expect(figures(sample(truth, answer))['entity-f1']).toBeCloseTo(1 / 3, 12);
  // Over all texts, not the mean of them: 1 right, 3 given, 4 wanted.
  const missed: Truth = { kind: 'entities', entities: [{ start: 0, end: 1, label: 'PER' }] };
  const nothing = sample(missed, { LABEL: [''], START: [0], END: [0] });
  expect(figures(sample(truth, answer), nothing)['entity-f1']).toBeCloseTo(2 / 7, 12);
  const without: Truth = { kind: 'entities', entities: [] };
  expect(figures(sample(without, { LABEL: [''], START: [0], END: [0] }))).toEqual({ 'entity-f1': null });
});

it('of answers take the best of several that are right', () => {
  const found = figures(
    sample({ kind: 'answers', answers: ['Paris', 'the city of Paris'] }, { ANSWER: ['city of Paris'] }),
    sample({ kind: 'answers', answers: ['a red fox'] }, { ANSWER: ['fox'] }),
  );
  expect(found['exact-match']).toBe(0.5);
  expect(found['token-f1']).toBeCloseTo((1 + 2 / 3) / 2, 12);
});

it('of masks count the first token, and the first five', () => {
  const masked = (token: string, ...tokens: string[]) => sample({ kind: 'token', token }, { TOKEN: tokens });
  const others = ['u', 'v', 'w', 'x'];
  expect(
    figures(masked('a', ' a', ...others), masked('a', ...others, 'a'), masked('a', ...others, 'y', 'a')),
  ).toEqual({ 'first-token-accuracy': 1 / 3, 'five-tokens-accuracy': 2 / 3 });
});

it('of speech are the word error rate, and of objects the precision of boxes', () => {
  const heard = sample({ kind: 'transcript', text: 'one two' }, { TEXT: ['one too'] });
  const truth: Truth = { kind: 'boxes', boxes: [{ box: [0, 0, 10, 10], label: 'cat' }] };
  const seen = sample(truth, { LABEL: ['cat', ''], SCORE: [0.9, 0], BOX: [0, 0, 10, 9, 0, 0, 0, 0] });
  const found = figures(heard, seen);
  expect(found['word-error-rate']).toBe(0.5);
  expect(found['map50']).toBeCloseTo(1, 12);
});

it('are unknown where an answer lacks the output', () => {
  const truth = { kind: 'label', label: 'a' } as const;
  expect(taskFiguresOf([sample(truth, { LABEL: ['a'] }), sample(truth, { LABEL: ['a'] }, {})])).toEqual([
    { name: 'accuracy', framework: 1, triton: null },
    { name: 'macro-f1', framework: 1, triton: null },
  ]);
});
