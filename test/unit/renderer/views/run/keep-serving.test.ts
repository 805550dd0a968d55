import { describe, expect, it } from 'vitest';
import { isDeployable } from '../../../../../renderer/views/run/keep-serving';

type State = Parameters<typeof isDeployable>[0];
const passed = (isPassed: boolean) => ({ result: { passed: isPassed } });
const state = (change: Readonly<Record<string, unknown>>): State =>
  ({
    ...{ status: 'done', imported: null, onServer: null, origin: 'own', accuracy: passed(true) },
    spec: { engine: { kind: 'docker' } },
    ...change,
  }) as unknown as State;

describe('isDeployable', () => {
  it('takes a finished run of this workbench whose accuracy check passed', () => {
    expect(isDeployable(state({}))).toBe(true);
    expect(isDeployable(state({ spec: { engine: { kind: 'local' } } }))).toBe(true);
    expect(isDeployable(state({ spec: { engine: { kind: 'docker', host: 'gpu1' } } }))).toBe(true);
  });

  it.each([
    ['that is not finished', { status: 'running' }],
    ['that was measured elsewhere', { imported: { fileName: 'a.csv' } }],
    ['of another workbench', { origin: 'foreign' }],
    ['whose accuracy check did not pass', { accuracy: passed(false) }],
    ['without an accuracy check', { accuracy: null }],
    ['on a Triton that the workbench did not start', { spec: { engine: { kind: 'remote' } } }],
  ])('takes no run %s', (_what, change) => {
    expect(isDeployable(state(change))).toBe(false);
  });
});
