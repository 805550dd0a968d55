import { expect, it } from 'vitest';
import { reduceStudy, type StudyBody } from '../../../../main/contract/study/study';
import { trialsOf } from '../../../../main/domain/study/study-state';
import { studySpec } from '../../../support/study-session';

const shown = (...bodies: readonly StudyBody[]) => {
  const study = reduceStudy(bodies.map((body, at) => ({ seq: at + 1, at: '', ...body })));
  if (study === null) throw new Error('no study');
  return trialsOf(study).map(({ number, axes, leftOut, runId }) => [
    ...[number, axes.map(({ value }) => value).join(' ')],
    ...[leftOut, runId],
  ]);
};
const trial = (value: string, refusal: string | null = null) => ({
  ...{ choice: { preset: 'resnet50', overrides: {} }, refusal },
  axes: [{ field: 'format', value }],
});
const planned: StudyBody = {
  type: 'study-planned',
  spec: studySpec({ strategy: { kind: 'matrix', trials: [trial('onnx'), trial('trt', 'no GPU')] } }),
};
const placed = { leftOut: null, error: null, runId: null };

it('a study has the trials that it was given before any is placed', () => {
  expect(shown(planned)).toEqual([
    [1, 'onnx', null, null],
    [2, 'trt', 'no GPU', null],
  ]);
});

it('has behind them what its strategy tried next, by its journal', () => {
  const next = { ...placed, number: 3, axes: [{ field: 'format', value: 'ts-trace' }], leftOut: 'no file' };
  expect(
    shown(
      planned,
      { type: 'trials-placed', trials: [{ ...placed, number: 1, runId: 'a' }] },
      { type: 'trials-placed', trials: [next] },
    ),
  ).toEqual([
    [1, 'onnx', null, 'a'],
    [2, 'trt', 'no GPU', null],
    [3, 'ts-trace', 'no file', null],
  ]);
});
