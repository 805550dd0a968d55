import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../../main/contract/errors';
import type { OpenedModel } from '../../../../../main/contract/run/own-model';
import { readPreset } from '../../../../../main/presets/presets';
import { createDraft } from '../../../../../renderer/stores/draft/draft';
import { draftPreset } from '../../../../../renderer/stores/draft/draft-state';
import { createOwnModel } from '../../../../../renderer/stores/draft/own-model';
import { dropUse } from '../../../../../renderer/views/new-deployment/drop';
import { createClientDouble } from '../../client-double';

const { preset } = await readPreset(join(process.cwd(), 'resources', 'own', 'template'));
const source = { kind: 'folder', path: '/models/mine' };
const folder: OpenedModel = {
  kind: 'folder',
  path: '/models/mine',
  title: 'Mine',
  code: [{ path: 'model.py', bytes: 10 }],
  trusted: false,
  choice: { preset: preset.id, overrides: { model: { source } } },
  preset,
  asked: [],
  notes: [],
};

function createCalls(open: (input: unknown) => unknown) {
  const double = createClientDouble({
    'models.open': open,
    'models.trust': () => ({ ...folder, trusted: true }),
    'spec.preview': () => new Promise(() => undefined),
    'drafts.save': () => null,
  });
  const draft = createDraft(double.client);
  return { ...double, draft, own: createOwnModel(double.client, draft) };
}

describe('an own model in the window', () => {
  it('is taken into the draft only when its code is trusted, and the engine stays', async () => {
    const { draft, own } = createCalls(() => folder);
    draft.getState().change(['engine', 'kind'], 'docker');
    await own.getState().open('/models/mine');
    expect(own.getState().opened?.code).toEqual(folder.code);
    expect(draft.getState()).toMatchObject({ preset: 'resnet50', ownPreset: null });
    await own.getState().trust();
    expect(draft.getState()).toMatchObject({
      preset: preset.id,
      overrides: { model: { source }, engine: { kind: 'docker' } },
    });
    expect(draftPreset(draft.getState(), [])).toBe(preset);
    draft.getState().choosePreset('resnet50');
    expect(draftPreset(draft.getState(), [])).toBeNull();
  });

  it('of the start page begins a draft of its own, once its code is trusted', async () => {
    const { draft, own, calls } = createCalls(() => folder);
    draft.getState().change(['format'], 'onnx');
    draft.getState().setName('nightly');
    const { id } = draft.getState();
    await own.getState().open('/models/mine', true);
    expect(draft.getState()).toMatchObject({ id, name: 'nightly' });
    await own.getState().trust(true);
    expect(draft.getState()).toMatchObject({
      preset: preset.id,
      overrides: { model: { source } },
      name: '',
      notice: { kind: 'started-new' },
    });
    expect(draft.getState().id).not.toBe(id);
    expect(draft.getState().older.map((draft) => [draft.id, draft.name])).toEqual([[id, 'nightly']]);
    expect(calls.filter(([name]) => name === 'drafts.save').map(([, saved]) => saved)).toMatchObject([
      { id, choice: { preset: 'resnet50', overrides: { format: 'onnx' } }, name: 'nightly' },
    ]);
  });

  const asked = [
    { name: 'x', shape: null },
    { name: 'y', shape: null },
  ];
  const openTwo = async (x: string, y: string) => {
    const { own, calls } = createCalls(() => ({ ...folder, choice: null, preset: null, asked }));
    await own.getState().open('/models/two.pt');
    own.getState().setShape('x', x);
    own.getState().setShape('y', y);
    await own.getState().retry();
    return { own, opened: calls.filter(([name]) => name === 'models.open').slice(1) };
  };

  it('is opened with the shapes that were typed, as --shape takes them', async () => {
    const { opened } = await openTwo('-1,3,8', 'y:INT64=1x16');
    expect(opened.map(([, input]) => input)).toEqual([
      {
        ...{ path: '/models/two.pt', shapes: { x: [1, 3, 8], y: [1, 16] }, datatypes: { y: 'INT64' } },
        ...{ with: [], rewrite: false },
      },
    ]);
  });

  it('of a repository is opened with the models that are loaded with it, also once it is trusted', async () => {
    const { own, calls } = createCalls(() => ({ ...folder, kind: 'repository' }));
    await own.getState().open('/r/caller', true, ['net']);
    await own.getState().trust(true);
    const asked = calls.filter(([name]) => name.startsWith('models.'));
    expect(asked).toMatchObject([
      ['models.open', { path: '/r/caller', with: ['net'] }],
      ['models.trust', { path: '/r/caller', with: ['net'] }],
    ]);
    await own.getState().open('/r/net');
    expect(calls.at(-1)).toMatchObject(['models.open', { path: '/r/net', with: [] }]);
  });

  it('says at the field what is no shape, and opens nothing', async () => {
    const { own, opened } = await openTwo('1,3,height', 'x:1,16');
    expect(opened).toEqual([]);
    expect(own.getState().shapeProblems).toEqual({
      x: 'Give a number for each dimension. Only the batch, which is first, may be -1 or a name.',
      y: 'The name is y, not x.',
    });
    own.getState().setShape('x', '1,3,8');
    expect(Object.keys(own.getState().shapeProblems)).toEqual(['y']);
  });

  it('keeps what is wrong with it, and the draft as it was', async () => {
    const { draft, own } = createCalls(() => {
      throw new WorkbenchError('model-file-invalid', 'a.onnx is empty');
    });
    await own.getState().open('/a.onnx');
    expect(own.getState()).toMatchObject({
      error: { code: 'model-file-invalid' },
      busy: false,
      opened: null,
    });
    expect(draft.getState().preset).toBe('resnet50');
  });

  it('is what an ONNX file is dropped as', () => {
    expect([dropUse('a.onnx', false), dropUse('a.pt', false), dropUse('a.onnx', true)]).toEqual([
      'model',
      'checkpoint',
      'dataset',
    ]);
  });
});
