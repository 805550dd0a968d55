import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../../../../main/contract/run/spec-tools';
import { recentModels } from '../../../../../../renderer/views/new-deployment/start/recents';
import { runSummary } from '../../../window-fixtures';

const draft = (change: Partial<Draft>): Draft => ({
  ...{ id: 'd', choice: { preset: 'resnet50', overrides: { format: 'trt' } } },
  ...{ page: 'model', updatedAt: '2025-11-22T00:00:00Z' },
  ...change,
});
const titleOf = (preset: string): string => (preset === 'resnet50' ? 'ResNet-50' : preset);

const noFresh = { overrides: {}, p99BudgetMs: null };

describe('what was deployed last', () => {
  it('is named by its own name or its preset, newest first, the same run once', () => {
    const runs = [
      runSummary({ runId: 'a' }),
      runSummary({ runId: 'b' }),
      runSummary({ runId: 'c', name: 'Hall 4', createdAt: '2025-11-23T00:00:00Z' }),
    ];
    const found = recentModels([draft({})], runs, titleOf, noFresh);
    expect(found.map(({ title, from }) => [title, from.kind])).toEqual([
      ['Hall 4', 'run'],
      ['ResNet-50', 'draft'],
      ['ResNet-50', 'run'],
    ]);
  });

  it('has every draft with something in it, however alike they are, and however many runs came after', () => {
    const fresh = { overrides: { engine: { kind: 'docker' } }, p99BudgetMs: 50 };
    const of = (overrides: object, change: Partial<Draft> = {}) =>
      draft({ choice: { preset: 'resnet50', overrides: { ...fresh.overrides, ...overrides } }, ...change });
    const drafts = [
      of({}, { id: 'untouched', p99BudgetMs: 50 }),
      of({ format: 'trt' }, { id: 'one' }),
      of({ format: 'trt' }, { id: 'two' }),
      of({}, { id: 'named', name: 'nightly', p99BudgetMs: 50 }),
      of({}, { id: 'change', changing: 'a-run' }),
      of({ format: 'trt' }, { id: 'started', startedAs: 'run-1' }),
    ];
    const runs = Array.from({ length: 9 }, (_, at) =>
      runSummary({ runId: `run-${at}`, name: `run ${at}`, createdAt: '2025-11-23T00:00:00Z' }),
    );
    const found = recentModels(drafts, runs, titleOf, fresh).filter(({ from }) => from.kind === 'draft');
    expect(found.map(({ key }) => key)).toEqual(['draft one', 'draft two', 'draft named', 'draft change']);
    const [one, , named, change] = found;
    expect(one?.detail).toMatch(/^trt, 1 change, edited 2\d Nov/);
    expect(named).toMatchObject({ title: 'nightly' });
    expect(change?.detail).toMatch(/^change of run a-run, edited /);
  });

  it('has no draft without a change, and no run that cannot be run again', () => {
    const runs = [
      runSummary({ imported: { source: 'perf_analyzer' } as never }),
      runSummary({ onServer: { url: 'localhost:8000' } as never }),
    ];
    const untouched = draft({ choice: { preset: 'resnet50', overrides: {} } });
    expect(recentModels([untouched], runs, titleOf, noFresh)).toEqual([]);
  });
});
