import { describe, expect, it } from 'vitest';
import { isDeployable, isServable, isUnchecked } from '../../../../../renderer/views/run/keep-serving';

type State = Parameters<typeof isDeployable>[0];
const passed = (isPassed: boolean) => ({ result: { passed: isPassed } });
const on = (engine: object) => ({ kind: 'deployed', spec: { engine } });
const state = (change: Readonly<Record<string, unknown>>): State =>
  ({
    ...{ status: 'done', origin: 'own', accuracy: passed(true), source: on({ kind: 'docker' }) },
    ...change,
  }) as unknown as State;

describe('isDeployable', () => {
  it('takes a finished run of this workbench whose accuracy check passed', () => {
    expect(isDeployable(state({}))).toBe(true);
    expect(isDeployable(state({ source: on({ kind: 'local' }) }))).toBe(true);
    expect(isDeployable(state({ source: on({ kind: 'docker', host: 'gpu1' }) }))).toBe(true);
  });

  it.each([
    ['that is not finished', { status: 'running' }],
    ['that was measured elsewhere', { source: { kind: 'imported', file: {}, model: 'bert' } }],
    ['of another workbench', { origin: 'foreign' }],
    ['whose accuracy check did not pass', { accuracy: passed(false) }],
    ['without an accuracy check', { accuracy: null }],
    ['on a Triton that the workbench did not start', { source: on({ kind: 'remote' }) }],
  ])('takes no run %s', (_what, change) => {
    expect(isDeployable(state(change))).toBe(false);
  });
});

it('is servable, after a question, also without an accuracy check that passed', () => {
  for (const accuracy of [null, passed(false), passed(true)])
    expect(isServable(state({ accuracy }))).toBe(true);
  expect(isServable(state({ status: 'running' }))).toBe(false);
  expect(isServable(state({ origin: 'foreign' }))).toBe(false);
  expect(isServable(state({ source: on({ kind: 'remote' }) }))).toBe(false);
});

it('is unchecked where a repository is served as it is without a golden file', () => {
  const source = { repository: { models: [{ name: 'm', backend: 'python' }] } };
  const asIs = { kind: 'deployed', spec: { engine: { kind: 'local' }, model: { source } } };
  const plain = { kind: 'deployed', spec: { engine: { kind: 'local' }, model: {} } };
  expect(isUnchecked(state({ accuracy: null, source: asIs }))).toBe(true);
  expect(isUnchecked(state({ accuracy: passed(true), source: asIs }))).toBe(false);
  expect(isUnchecked(state({ accuracy: null, source: plain }))).toBe(false);
});
