import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../main/contract/run/run-state';
import { needsDevice, plannedSteps, type StepKeys, withDependents } from '../../../main/pipeline/plan';
import { steps } from '../../../main/pipeline/steps';

describe('withDependents', () => {
  it.each([
    ['report', ['report']],
    ['online', ['online', 'report']],
    ['offline', ['offline', 'online', 'report']],
    ['profile-data', ['profile-data', 'offline', 'online', 'report']],
    ['configure', ['configure', 'deploy', 'accuracy', 'offline', 'online', 'report']],
  ] as const)('of the real pipeline: %s', (id, expected) => {
    expect(withDependents(steps, id)).toEqual(expected);
  });
});

describe('needsDevice', () => {
  it.each([
    [['export', 'report'], false],
    [['deploy', 'accuracy'], false],
    [['deploy', 'offline'], true],
    [['online', 'report'], true],
  ] as const)('%j: %s', (planned, expected) => {
    expect(needsDevice(new Set(planned))).toBe(expected);
  });
});

describe('plannedSteps', () => {
  it('has what is made of a step that is done again, also through the server in between', () => {
    const keys = Object.fromEntries(steps.map(({ id }) => [id, `key of ${id}`])) as unknown as StepKeys;
    const state = {
      steps: steps.map(({ id }) => ({ id, status: id === 'configure' ? 'failed' : 'done', key: keys[id] })),
      again: [],
    } as unknown as RunState;
    expect([...plannedSteps(steps, state, keys)].sort()).toEqual(
      ['accuracy', 'configure', 'deploy', 'images', 'offline', 'online', 'report'].sort(),
    );
  });

  it('has a scenario of which a level is measured again, the server for it, and the report', () => {
    const keys = Object.fromEntries(steps.map(({ id }) => [id, `key of ${id}`])) as unknown as StepKeys;
    const state = {
      steps: steps.map(({ id }) => ({ id, status: 'done', key: keys[id] })),
      again: [{ scenario: 'online', key: 'level', times: 4 }],
    } as unknown as RunState;
    expect([...plannedSteps(steps, state, keys)].sort()).toEqual(
      ['deploy', 'images', 'online', 'report'].sort(),
    );
  });
});
