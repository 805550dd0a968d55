import { expect, it } from 'vitest';
import type { RunState } from '../../../../main/contract/run/run-state';
import { reduceStudy, type StudyBody } from '../../../../main/contract/study/study';
import { summaryOf, trialsOf } from '../../../../main/domain/study/study-state';
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

it('says which run is in progress or comes next, only while it is under way', () => {
  const spec = studySpec({
    strategy: {
      kind: 'matrix',
      trials: [trial('onnx'), trial('trt', 'no GPU'), trial('ts-trace'), trial('tf')],
    },
  });
  const study = reduceStudy(
    [
      { type: 'study-planned', spec } as const,
      { type: 'study-started', pid: 1 } as const,
      {
        type: 'trials-placed',
        trials: [1, 3, 4].map((number) => ({ ...placed, number, runId: String(number) })),
      } as const,
    ].map((body, at) => ({ seq: at + 1, at: '', ...body })),
  );
  if (study === null) throw new Error('no study');
  const current = (status: Readonly<Record<string, RunState['status']>>, isHeld = true) =>
    summaryOf(study, (runId) => status[runId], isHeld).currentRun;
  expect(current({})).toBe(1);
  expect(current({ 1: 'running' })).toBe(1);
  // Between two runs: the next that can be run.
  expect(current({ 1: 'done' })).toBe(3);
  expect(current({ 1: 'failed', 3: 'done', 4: 'running' })).toBe(4);
  expect(current({ 1: 'done', 3: 'done', 4: 'failed' })).toBeUndefined();
  expect(current({ 1: 'done' }, false)).toBeUndefined();
});
