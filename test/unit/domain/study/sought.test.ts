import { expect, it } from 'vitest';
import type { Study } from '../../../../main/contract/study/study';
import { jointAnswer } from '../../../../main/domain/study/joint/joint-answer';
import { soughtOf } from '../../../../main/domain/study/sought';
import { joint, searchJoint } from '../../../support/simulated-joint';
import { closed } from '../../../support/simulated-search';

const ids = ['20261128-120000-resnet50-aaaaaa', '20261128-120000-bert-bbbbbb'];
const models = joint.models.map((model, at) => ({ ...model, runId: ids[at] ?? '' }));
const studyOf = (strategy: object): Study => ({
  ...{ name: 'night', spec: { name: 'night', strategy: { ...strategy, trials: [] } as never, hosts: null } },
  ...{ createdAt: '', updatedAt: '', isStarted: true, outcome: 'done', error: null, trials: {} },
  searched: { looks: [], failed: {} },
});
const searched = searchJoint(joint);
const together: Study = { ...studyOf({ ...joint, models }), searched };

it('is the model of a search of several that is meant by its number, its title or its run', () => {
  const byNumber = soughtOf(together, { model: 2 });
  expect(byNumber?.search.runId).toBe(ids[1]);
  expect(byNumber?.runOf(1)).toBe(ids[1]);
  expect(byNumber?.sentence).toBe(jointAnswer({ ...joint, models }, searched).sentence);
  expect(byNumber?.beside).toEqual(['resnet']);
  expect(soughtOf(together, { model: 'bert' })?.search.runId).toBe(ids[1]);
  expect(soughtOf(together, { runId: ids[0] })?.winner).toBe(3);
  for (const of of [{}, { model: 3 }, { model: 'another' }, { runId: 'another' }])
    expect(soughtOf(together, of)).toBeNull();
});

it('is none of two models of one run', () => {
  const twice = models.map((model) => ({ ...model, runId: ids[0] ?? '' }));
  const study = { ...together, ...{ spec: studyOf({ ...joint, models: twice }).spec } };
  expect(soughtOf(study, { runId: ids[0] })).toBeNull();
  const sameTitle = models.map((model) => ({ ...model, title: 'bert' }));
  const alike = { ...together, ...{ spec: studyOf({ ...joint, models: sameTitle }).spec } };
  expect(soughtOf(alike, { model: 'bert' })).toBeNull();
  expect(soughtOf(study, { model: 1 })?.winner).toBe(3);
});

it('is a search of one model, and nothing of another study', () => {
  const runId = ids[0] ?? '';
  const one = soughtOf(studyOf({ ...closed, runId }), {});
  expect(one).toMatchObject({ winner: null, promised: null, beside: [] });
  expect(one?.runOf(1)).toBe(runId);
  expect(soughtOf(studyOf({ kind: 'matrix' }), {})).toBeNull();
});
