import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../../../main/contract/api';
import type { Draft } from '../../../../../main/contract/run/spec-tools';
import { dropUse } from '../../../../../renderer/views/new-deployment/drop';
import { recentModels } from '../../../../../renderer/views/new-deployment/pages/recents';
import { runFiles } from '../../../../../renderer/views/new-deployment/pane/run-files';
import { wizardKey } from '../../../../../renderer/views/new-deployment/shortcuts';
import { specFixture } from '../../../../support/run-state';

describe('keys of the wizard', () => {
  const plain = { key: '', code: '', altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };

  it('go to pages by the place of the digit', () => {
    expect(wizardKey({ ...plain, altKey: true, code: 'Digit3', key: '£' })).toEqual({
      kind: 'page',
      index: 2,
    });
    expect(wizardKey({ ...plain, altKey: true, code: 'Digit8', key: '8' })).toBeNull();
    expect(wizardKey({ ...plain, code: 'Digit3', key: '3' })).toBeNull();
    // AltGr, which types a character on many keyboards.
    expect(wizardKey({ ...plain, altKey: true, ctrlKey: true, code: 'Digit3', key: '³' })).toBeNull();
  });

  it('start, help and move', () => {
    expect(wizardKey({ ...plain, ctrlKey: true, key: 'Enter' })).toEqual({ kind: 'run' });
    expect(wizardKey({ ...plain, key: 'Enter' })).toBeNull();
    expect(wizardKey({ ...plain, key: 'F1' })).toEqual({ kind: 'help' });
    expect(wizardKey({ ...plain, altKey: true, key: 'ArrowLeft' })).toEqual({ kind: 'move', by: -1 });
  });
});

it('what is dropped is taken for what it looks like', () => {
  expect(dropUse('val', true)).toBe('dataset');
  expect(dropUse('run.yaml', true)).toBe('dataset');
  for (const name of ['saved_model', 'savedmodel', 'model.savedmodel']) {
    expect(dropUse(name, true)).toBe('model');
  }
  expect(dropUse('resnet50.pth', false)).toBe('checkpoint');
  // A model file has no weights beside itself: these are its samples.
  expect(['samples.npz', 'samples.json'].map((name) => dropUse(name, false, true))).toEqual([
    'dataset',
    'dataset',
  ]);
  expect(dropUse('samples.npz', false)).toBe('checkpoint');
  for (const name of [
    'run.yaml',
    'config.YML',
    'config.pbtxt',
    'params.env',
    '.env',
    'setup_environment.sh',
  ]) {
    expect(dropUse(name, false)).toBe('import');
  }
});

describe('recent models', () => {
  const draft = (id: string, at: string, overrides: Record<string, unknown>): Draft => ({
    id,
    choice: { preset: 'resnet50', overrides },
    page: 'model',
    updatedAt: at,
  });
  const run = (runId: string, createdAt: string): RunSummary => ({
    runId,
    dir: '/runs',
    preset: 'resnet50',
    profile: 'quick',
    format: 'onnx',
    precision: 'fp32',
    engine: 'local',
    status: 'done',
    createdAt,
    updatedAt: createdAt,
    best: null,
    budgetText: null,
    chosen: null,
    machine: '',
    server: '',
    accuracyPassed: true,
    unverified: false,
    name: null,
    tags: [],
    note: '',
    waitsFor: null,
    origin: 'own',
    damagedLines: [],
    imported: null,
    onServer: null,
  });

  it('are newest first, the same thing once, and no draft without a change', () => {
    const found = recentModels(
      [draft('a', '2026-01-03', { model: { checkpoint: '/w.pth' } }), draft('b', '2026-01-04', {})],
      [run('r1', '2026-01-01'), run('r2', '2026-01-05')],
    );
    expect(
      found.map(({ from, detail }) => [from.kind === 'run' ? from.runId : from.draft.id, detail]),
    ).toEqual([
      ['r2', 'quick, onnx fp32, local'],
      ['a', '/w.pth'],
    ]);
  });
});

it('the files of a run are named as they will lie', () => {
  const paths = (kind: 'local' | 'remote') =>
    runFiles(
      specFixture((spec) => {
        spec.engine = kind === 'local' ? { kind } : { kind, url: 'http://a:8000' };
      }),
    ).map(({ path }) => path);
  expect(paths('local')).toContain('steps/configure/model-repository/resnet50/1/model.py');
  expect(paths('remote')).not.toContain('steps/configure/model-repository/resnet50/1/model.py');
  expect(paths('remote')).toContain('steps/configure/model-repository/resnet50/1/model.onnx');
});
