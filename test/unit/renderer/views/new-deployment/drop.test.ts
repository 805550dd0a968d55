import { describe, expect, it } from 'vitest';
import { dropUse } from '../../../../../renderer/views/new-deployment/drop';
import { runFiles } from '../../../../../renderer/views/new-deployment/plan-text';
import { wizardKey } from '../../../../../renderer/views/new-deployment/shortcuts';
import { specFixture } from '../../../../support/run-state';

describe('keys of the wizard', () => {
  const plain = { key: '', code: '', altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };

  it('go to pages by the place of the digit', () => {
    expect(wizardKey({ ...plain, altKey: true, code: 'Digit3', key: '£' })).toEqual({
      kind: 'page',
      index: 2,
    });
    // The simple page.
    expect(wizardKey({ ...plain, altKey: true, code: 'Digit0', key: '0' })).toEqual({
      kind: 'page',
      index: -1,
    });
    expect(wizardKey({ ...plain, altKey: true, code: 'Digit8', key: '8' })).toBeNull();
    expect(wizardKey({ ...plain, code: 'Digit3', key: '3' })).toBeNull();
    // AltGr, which types a character on many keyboards.
    expect(wizardKey({ ...plain, altKey: true, ctrlKey: true, code: 'Digit3', key: '³' })).toBeNull();
  });

  it('start, help and move', () => {
    expect(wizardKey({ ...plain, ctrlKey: true, key: 'Enter' })).toEqual({ kind: 'run' });
    expect(wizardKey({ ...plain, key: 'Enter' })).toBeNull();
    expect(wizardKey({ ...plain, key: 'F1' })).toBeNull();
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

it('the files of a run are named as they will lie', () => {
  const paths = (kind: 'local' | 'remote') =>
    runFiles(
      specFixture((spec) => {
        spec.engine = kind === 'local' ? { kind } : { kind, url: 'http://a:8000' };
      }),
    ).map(({ path }) => path);
  expect(paths('local')).toContain('steps/configure/model-repository/resnet50/1/model.py');
  expect(paths('local')).toContain('steps/configure/model-repository/resnet50/1/serving_shim.py');
  expect(paths('remote')).not.toContain('steps/configure/model-repository/resnet50/1/model.py');
  expect(paths('remote')).toContain('steps/configure/model-repository/resnet50/1/model.onnx');
});
