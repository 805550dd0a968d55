import { expect, it } from 'vitest';
import {
  isSearchable,
  jointRequestOf,
  type JointText,
  modelsOf,
  newModel,
  noJoint,
} from '../../../../../../renderer/views/studies/joint/joint-request';
import { runSummary } from '../../../window-fixtures';

const typed = (more: Partial<JointText> = {}): JointText => ({
  ...noJoint,
  models: [
    { ...newModel('a'), rate: 100, p99Ms: 20 },
    { ...newModel('b'), rate: 40, title: ' ranking ' },
  ],
  ...more,
});

it('asks for rates with what was typed, and leaves out the rest', () => {
  expect(jointRequestOf(typed())).toEqual({
    models: [
      { of: { runId: 'a' }, rate: 100, p99Ms: 20 },
      { of: { runId: 'b' }, rate: 40, title: 'ranking' },
    ],
    ...{ objective: 'load', budgetS: 300 },
  });
  expect(jointRequestOf(typed({ aim: 'instances', minutes: '' }))).not.toHaveProperty('budgetS');
});

it('asks for shares of a mix, whose objective is the load', () => {
  const request = jointRequestOf(typed({ aim: 'mix' }));
  expect(request?.objective).toBe('load');
  expect(request?.models.map(({ rate, share }) => [rate, share])).toEqual([
    [undefined, 100],
    [undefined, 40],
  ]);
});

it('asks for nothing before two models have a rate', () => {
  expect(jointRequestOf(noJoint)).toBeNull();
  expect(jointRequestOf(typed({ models: typed().models.slice(1) }))).toBeNull();
  expect(jointRequestOf(typed({ models: [...typed().models, newModel('c')] }))).toBeNull();
});

it('keeps what was typed of a model that stays', () => {
  const [first] = typed().models;
  expect(modelsOf(typed().models, ['c', 'a'])).toEqual([newModel('c'), first]);
});

it('offers finished runs of its own whose accuracy check passed', () => {
  const run = runSummary({ status: 'done', accuracyPassed: true });
  expect(isSearchable(run)).toBe(true);
  for (const other of [
    { status: 'running' as const },
    { accuracyPassed: false },
    { accuracyPassed: null },
    { onServer: 'localhost:8000' },
  ]) {
    expect(isSearchable({ ...run, ...other })).toBe(false);
  }
});
