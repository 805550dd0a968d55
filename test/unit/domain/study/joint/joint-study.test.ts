import { expect, it } from 'vitest';
import {
  reduceStudy,
  type StudyBody,
  type StudyEntry,
  type StudySpec,
} from '../../../../../main/contract/study/study';
import { jointCommands, jointOf } from '../../../../../main/domain/study/joint/joint-study';
import { detailOf } from '../../../../../main/domain/study/study-detail';
import { summaryOf } from '../../../../../main/domain/study/study-state';
import { joint, searchJoint } from '../../../../support/simulated-joint';

const ids = ['20261128-120000-resnet50-onnx-fp32-aaaaaa', '20261128-120000-bert-onnx-fp32-bbbbbb'];
const named = { ...joint, models: joint.models.map((model, at) => ({ ...model, runId: ids[at] ?? '' })) };
const specOf = (of: typeof named | typeof joint): StudySpec => ({
  name: 'night',
  strategy: { ...of, trials: [] },
  hosts: null,
});
const studyOf = (spec: StudySpec, ...bodies: readonly StudyBody[]) => {
  const all: readonly StudyBody[] = [
    { type: 'study-planned', spec },
    { type: 'study-started', pid: 1 },
    ...bodies,
  ];
  return reduceStudy(
    all.map((body, at): StudyEntry => ({ ...body, seq: at + 1, at: '2026-11-28T10:00:00.000Z' })),
  );
};
const { looks } = searchJoint(named);
const study = studyOf(specOf(named), ...looks.map((look): StudyBody => ({ type: 'look', look })), {
  type: 'study-ended',
  outcome: 'done',
});

it('is in the list of studies with its answer, and has a row per model on its page', () => {
  if (study === null) throw new Error('no study');
  const summary = summaryOf(study, () => undefined, false);
  expect(summary).toMatchObject({ state: 'done', runs: 2, complete: 2, isKept: true });
  expect(summary.sentence).toMatch(
    /^These 2 models hold their targets together up to 2.53 × the given rates/,
  );
  const detail = detailOf({ study, summary, results: [] }, 0);
  expect(detail.rows.map(({ runId, state, online }) => [runId, state, online?.inferencesPerSecond])).toEqual([
    [ids[0], 'resnet: model instances 4, limits', 253],
    [ids[1], 'bert: present configuration', 126.5],
  ]);
  expect(detail).toMatchObject({ search: null, secondsLeft: null, underWay: [] });
  // With the runs that it made.
  expect(detail.joint?.joint.models.map(({ runId }) => runId)).toEqual(ids);
  expect(detail.joint?.searched).toEqual(study.searched);
});

it('while it runs it says what was measured, and what is left of the budget', () => {
  const running = studyOf(
    specOf(named),
    ...looks.slice(0, 3).map((look): StudyBody => ({ type: 'look', look })),
  );
  if (running === null) throw new Error('no study');
  const summary = summaryOf(running, () => undefined, true);
  const detail = detailOf({ study: running, summary, results: [] }, 0);
  expect(detail.underWay).toEqual(['6 of 300 s of load, 2 of 6 configurations measured']);
  expect(detail.secondsLeft).toBe(294);
});

it('the commands change what the best set changes, and nothing else', () => {
  if (study === null) throw new Error('no study');
  expect(jointCommands(study, named)).toEqual([
    ['triton-workbench', 'resume', ids[0], '--set', 'configure.instances=4'],
  ]);
});

it('knows the run that it made for a model without one', () => {
  const unmade = {
    ...named,
    models: named.models.map((model, at) => (at === 1 ? { ...model, runId: null } : model)),
  };
  const spec = specOf(unmade);
  expect(jointOf({ spec })?.models.map(({ runId }) => runId)).toEqual([ids[0], null]);
  const made = studyOf(spec, { type: 'trial-run', number: 1, runId: ids[1] ?? '', job: null });
  expect(made === null ? null : jointOf(made)?.models[1]?.runId).toBe(ids[1]);
});
