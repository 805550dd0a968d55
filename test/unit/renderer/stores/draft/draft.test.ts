import { describe, expect, it } from 'vitest';
import type { StoreApi } from 'zustand/vanilla';
import { WorkbenchError } from '../../../../../main/contract/errors';
import type {
  ConfigEdit,
  Draft,
  ImportedSpec,
  SpecPreview,
} from '../../../../../main/contract/run/spec-tools';
import { createDraft } from '../../../../../renderer/stores/draft/draft';
import { type DraftState, isWorthKeeping } from '../../../../../renderer/stores/draft/draft-state';
import { specFixture } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';

const previewFixture = (change: Partial<SpecPreview> = {}): SpecPreview => ({
  spec: specFixture(),
  specHash: 'abc',
  defaults: specFixture(),
  problems: [],
  configPbtxt: 'name: "resnet50"\n',
  generatedPbtxt: 'name: "resnet50"\n',
  commands: [],
  ...change,
});

const stored = (id: string, updatedAt: string, overrides: Record<string, unknown> = {}): Draft => ({
  id,
  choice: { preset: 'resnet50', overrides },
  page: 'accuracy',
  updatedAt,
});

const noEdit: ConfigEdit = { overrides: {}, problem: null };

/** The core's drafts in memory. */
function createRig(
  options: {
    drafts?: readonly Draft[];
    preview?: () => unknown;
    edit?: ConfigEdit;
    imported?: ImportedSpec;
  } = {},
) {
  const drafts = new Map((options.drafts ?? []).map((draft) => [draft.id, draft]));
  const double = createClientDouble({
    'drafts.list': () => [...drafts.values()],
    'drafts.save': (draft) => {
      const saved = draft as Draft;
      drafts.set(saved.id, saved);
      return null;
    },
    'drafts.remove': (input) => {
      drafts.delete((input as { id: string }).id);
      return null;
    },
    'spec.preview': options.preview ?? (() => previewFixture()),
    'spec.editConfig': () => options.edit ?? noEdit,
    'spec.import': () => options.imported,
  });
  return { ...double, drafts, draft: createDraft(double.client) };
}

const saved = (rig: ReturnType<typeof createRig>): Draft | undefined =>
  rig.drafts.get(rig.draft.getState().id);
const act = (draft: StoreApi<DraftState>): DraftState => draft.getState();

describe('the draft of a deployment', () => {
  it('is the newest one on disk, with its page', async () => {
    const rig = createRig({
      drafts: [
        stored('old', '2026-01-01T00:00:00Z'),
        stored('new', '2026-01-02T00:00:00Z', { format: 'onnx' }),
      ],
    });
    await act(rig.draft).open();
    expect(act(rig.draft)).toMatchObject({
      id: 'new',
      page: 'accuracy',
      overrides: { format: 'onnx' },
      ready: true,
    });
    expect(act(rig.draft).older.map(({ id }) => id)).toEqual(['old']);
    expect(act(rig.draft).preview?.specHash).toBe('abc');
  });

  it('is a new one when the drafts cannot be read, and says so', async () => {
    const { client } = createClientDouble({ 'spec.preview': () => previewFixture() });
    const draft = createDraft(client);
    await act(draft).open();
    expect(act(draft)).toMatchObject({ ready: true, overrides: {}, saveError: { code: 'internal' } });
  });

  it('forgets what is over the limit, oldest first', async () => {
    const days = Array.from({ length: 14 }, (_, day) => String(day + 10));
    const rig = createRig({ drafts: days.map((day) => stored(day, `2026-01-${day}T00:00:00Z`)) });
    await act(rig.draft).open();
    expect([...rig.drafts.keys()].sort()).toEqual(days.slice(2));
  });

  it('for a published GPU keeps its engine where no container could have one, and any that was chosen', () => {
    const local = { kind: 'local' };
    const here = createRig();
    act(here.draft).chooseTarget('A100', local);
    expect(act(here.draft).overrides).toEqual({ targetGpu: 'A100', engine: local });
    const published = createRig();
    act(published.draft).chooseTarget('A100', null);
    expect(act(published.draft).overrides).toEqual({ targetGpu: 'A100' });
    const chosen = createRig();
    act(chosen.draft).change(['engine', 'kind'], 'docker');
    act(chosen.draft).chooseTarget('A100', local);
    expect(act(chosen.draft).overrides).toEqual({ targetGpu: 'A100', engine: { kind: 'docker' } });
    const ported = createRig();
    act(ported.draft).change(['engine', 'httpPort'], 8000);
    act(ported.draft).chooseTarget('A100', local);
    expect(act(ported.draft).overrides['engine']).toEqual({ kind: 'local', httpPort: 8000 });
  });

  it('is on disk after a change of choice or page', async () => {
    const rig = createRig();
    act(rig.draft).change(['performance', 'batchSizes'], [1, 2]);
    act(rig.draft).goTo('performance');
    await expect
      .poll(() => saved(rig))
      .toMatchObject({ page: 'performance', choice: { overrides: { performance: { batchSizes: [1, 2] } } } });
    act(rig.draft).reset(['performance', 'batchSizes']);
    await expect.poll(() => saved(rig)?.choice.overrides).toEqual({});
  });

  it('keeps a list that cannot be read as the text that it is', async () => {
    const rig = createRig();
    act(rig.draft).change(['performance', 'batchSizes'], '1, many');
    await expect.poll(() => saved(rig)?.choice.overrides).toEqual({ performance: { batchSizes: '1, many' } });
  });

  it('leaves the fields of another engine behind', () => {
    const { draft } = createRig();
    act(draft).change(['engine', 'kind'], 'docker');
    act(draft).change(['engine', 'gpus'], ['all']);
    expect(act(draft).overrides).toEqual({ engine: { kind: 'docker', gpus: ['all'] } });
    act(draft).change(['engine', 'kind'], 'remote');
    expect(act(draft).overrides).toEqual({ engine: { kind: 'remote' } });
    act(draft).reset(['engine', 'kind']);
    expect(act(draft).overrides).toEqual({});
  });

  it('takes where it runs along to another preset, and nothing else', () => {
    const { draft } = createRig();
    act(draft).change(['engine', 'kind'], 'docker');
    act(draft).change(['format'], 'ts-trace');
    act(draft).choosePreset('other');
    expect(act(draft)).toMatchObject({ preset: 'other', overrides: { engine: { kind: 'docker' } } });
    expect(act(draft).overrides).not.toHaveProperty('format');
  });

  it('brings back what another preset took the place of', () => {
    const { draft } = createRig();
    const chosen = { engine: { kind: 'docker' }, performance: { batchSizes: [3] } };
    act(draft).change(['engine', 'kind'], 'docker');
    act(draft).change(['performance', 'batchSizes'], [3]);
    act(draft).choosePreset('other');
    expect(act(draft).notice).toEqual({ kind: 'other-model', what: 'other' });
    act(draft).takeBack();
    expect(act(draft)).toMatchObject({ preset: 'resnet50', overrides: chosen, notice: null });
    // Nothing is lost by a look at the presets alone.
    act(draft).startOver();
    act(draft).dismiss();
    act(draft).choosePreset('other');
    expect(act(draft).notice).toBeNull();
  });

  it('writes the kind of engine that a field was changed in', async () => {
    const rig = createRig();
    await act(rig.draft).open();
    const kind = act(rig.draft).spec?.engine.kind;
    expect(kind).toBeDefined();
    act(rig.draft).change(['engine', 'httpPort'], 9000);
    expect(act(rig.draft).overrides).toEqual({ engine: { kind, httpPort: 9000 } });
  });

  it('goes back from an own model to the preset that has its name', () => {
    const { draft } = createRig();
    act(draft).choosePreset('other');
    act(draft).change(['model', 'source'], { kind: 'file', path: '/models/other.onnx' });
    act(draft).choosePreset('other');
    expect(act(draft)).toMatchObject({ preset: 'other', overrides: {} });
  });

  it('shows the answer to the last question only', async () => {
    const waiting: ((preview: SpecPreview) => void)[] = [];
    const rig = createRig({ preview: () => new Promise((resolve) => waiting.push(resolve)) });
    const older = act(rig.draft).settle();
    const newer = act(rig.draft).settle();
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.(previewFixture({ specHash: 'newer' }));
    await newer;
    waiting[0]?.(previewFixture({ specHash: 'older' }));
    await older;
    expect(act(rig.draft).preview?.specHash).toBe('newer');
  });

  it('keeps the last complete specification while the choice is none', async () => {
    let preview = previewFixture();
    const rig = createRig({ preview: () => preview });
    await act(rig.draft).settle();
    preview = previewFixture({ spec: null });
    await act(rig.draft).settle();
    expect(act(rig.draft)).toMatchObject({ preview: { spec: null }, spec: { version: 1 } });
  });

  it('says that the core did not answer', async () => {
    const rig = createRig({
      preview: () => Promise.reject(new WorkbenchError('preset-unknown', 'No such preset')),
    });
    await act(rig.draft).settle();
    expect(act(rig.draft)).toMatchObject({ error: { code: 'preset-unknown' }, preview: null });
  });
});

describe('a choice that takes the place of another', () => {
  it('can be taken back after starting over', async () => {
    const rig = createRig();
    act(rig.draft).change(['format'], 'ts-trace');
    const { id } = act(rig.draft);
    act(rig.draft).startOver();
    expect(act(rig.draft)).toMatchObject({ overrides: {}, notice: { kind: 'started-over' } });
    expect(act(rig.draft).older.map((draft) => draft.id)).toEqual([id]);
    await expect.poll(() => rig.drafts.has(id)).toBe(true);
    act(rig.draft).takeBack();
    expect(act(rig.draft)).toMatchObject({ id, overrides: { format: 'ts-trace' }, notice: null, older: [] });
  });

  it('is laid over it when the text says a part only', async () => {
    const rig = createRig({
      imported: {
        source: 'config-pbtxt',
        choice: { preset: 'resnet50', overrides: { configure: { maxBatchSize: 16 } } },
        notes: ['one'],
      },
    });
    act(rig.draft).change(['format'], 'ts-trace');
    await act(rig.draft).importText('config.pbtxt', 'x');
    expect(act(rig.draft)).toMatchObject({
      overrides: { format: 'ts-trace', configure: { maxBatchSize: 16 } },
      notice: { kind: 'imported', notes: ['one'], taken: true },
    });
  });

  it('replaces it when the text says a whole run', async () => {
    const rig = createRig({
      imported: {
        source: 'run-yaml',
        choice: { preset: 'other', overrides: { precision: 'fp16' } },
        notes: [],
      },
    });
    act(rig.draft).change(['format'], 'ts-trace');
    await act(rig.draft).importText('run.yaml', 'x');
    expect(act(rig.draft)).toMatchObject({ preset: 'other', overrides: { precision: 'fp16' } });
    expect(act(rig.draft).overrides).not.toHaveProperty('format');
  });

  it('stays as it is when nothing could be taken, and the notes say why', async () => {
    const rig = createRig({
      imported: { source: 'shell-environment', choice: null, notes: ['No variable is known.'] },
    });
    act(rig.draft).change(['format'], 'ts-trace');
    await act(rig.draft).importText('.env', 'x');
    expect(act(rig.draft)).toMatchObject({
      overrides: { format: 'ts-trace' },
      notice: { taken: false, notes: ['No variable is known.'] },
    });
  });
});

describe('a new deployment', () => {
  it('begins anew once its draft was started, and keeps that draft', async () => {
    const rig = createRig();
    act(rig.draft).change(['format'], 'ts-trace');
    act(rig.draft).goTo('review');
    const { id } = act(rig.draft);
    act(rig.draft).started('run-1');
    expect(act(rig.draft)).toMatchObject({ overrides: {}, page: 'environment', notice: null });
    expect(act(rig.draft).older.map((draft) => draft.id)).toEqual([id]);
    await expect.poll(() => rig.drafts.get(id)?.startedAs).toBe('run-1');
    const later = createRig({ drafts: [...rig.drafts.values()] });
    await act(later.draft).open();
    expect(act(later.draft)).toMatchObject({ overrides: {}, page: 'environment', notice: null });
    expect(act(later.draft).older.map((draft) => draft.id)).toEqual([id]);
  });

  it('offers a draft with changes that nobody started, and a new one instead', async () => {
    const rig = createRig({ drafts: [stored('left', '2026-01-02T00:00:00Z', { format: 'onnx' })] });
    await act(rig.draft).open();
    expect(act(rig.draft)).toMatchObject({ id: 'left', page: 'accuracy', editedAt: '2026-01-02T00:00:00Z' });
    expect(isWorthKeeping(act(rig.draft), { overrides: {}, p99BudgetMs: null })).toBe(true);
    act(rig.draft).startNew('bert');
    expect(act(rig.draft)).toMatchObject({ preset: 'bert', overrides: {}, page: 'environment' });
    expect(act(rig.draft).older.map(({ id }) => id)).toEqual(['left']);
    act(rig.draft).takeBack();
    expect(act(rig.draft)).toMatchObject({ id: 'left', overrides: { format: 'onnx' }, page: 'accuracy' });
  });

  it('is on its first page when the draft before has no change', async () => {
    const rig = createRig({ drafts: [stored('empty', '2026-01-02T00:00:00Z')] });
    await act(rig.draft).open();
    expect(act(rig.draft)).toMatchObject({ id: 'empty', page: 'environment', editedAt: null });
  });

  it('keeps an own model when its settings are reset, and takes them back', () => {
    const { draft } = createRig();
    const source = { kind: 'onnx', path: '/models/scene.onnx' };
    act(draft).change(['model', 'source'], source);
    act(draft).change(['model', 'dataset'], '/data/scene');
    act(draft).change(['format'], 'onnx');
    const { overrides, preset } = act(draft);
    act(draft).startOver();
    expect(act(draft)).toMatchObject({ preset, overrides: { model: { source } } });
    expect(act(draft).overrides).toEqual({ model: { source } });
    act(draft).takeBack();
    expect(act(draft).overrides).toEqual(overrides);
  });

  it('remembers the pages that were open', async () => {
    const rig = createRig();
    act(rig.draft).goTo('performance');
    act(rig.draft).goTo('review');
    expect(act(rig.draft).visited).toEqual(['environment', 'performance', 'review']);
    await expect.poll(() => saved(rig)?.visited).toEqual(['environment', 'performance', 'review']);
    act(rig.draft).startOver();
    expect(act(rig.draft).visited).toEqual([]);
  });
});

describe('a notice', () => {
  it('ends at the next change', () => {
    const { draft } = createRig();
    act(draft).change(['format'], 'ts-trace');
    act(draft).startOver();
    act(draft).goTo('model');
    expect(act(draft).notice).toEqual({ kind: 'started-over' });
    act(draft).change(['precision'], 'fp16');
    expect(act(draft).notice).toBeNull();
  });

  it('keeps what an import left out', async () => {
    const { draft } = createRig({
      imported: {
        source: 'shell-environment',
        choice: { preset: 'resnet50', overrides: { format: 'ts-trace' } },
        notes: ['A variable is left out.'],
      },
    });
    await act(draft).importText('.env', 'x');
    act(draft).change(['precision'], 'fp16');
    expect(act(draft).notice).toMatchObject({ notes: ['A variable is left out.'] });
  });
});

describe('config.pbtxt edited by hand', () => {
  it('changes the fields that it says otherwise, and replaces what was edited by hand before', async () => {
    const rig = createRig({
      edit: { overrides: { configure: { maxBatchSize: 32, configPatch: { b: 2 } } }, problem: null },
    });
    act(rig.draft).change(['configure', 'configPatch'], { a: 1 });
    act(rig.draft).editConfig('max_batch_size: 32');
    await act(rig.draft).settle();
    expect(act(rig.draft).overrides).toEqual({ configure: { maxBatchSize: 32, configPatch: { b: 2 } } });
    expect(rig.calls.find(([name]) => name === 'spec.editConfig')?.[1]).toMatchObject({
      preset: 'resnet50',
      text: 'max_batch_size: 32',
    });
    expect(act(rig.draft).edit).toMatchObject({ text: 'max_batch_size: 32', problem: null, pending: false });
    act(rig.draft).leaveConfig();
    expect(act(rig.draft).edit).toBeNull();
  });

  it('leaves the form alone while it cannot be read, and stays until it is discarded', async () => {
    const rig = createRig({ edit: { overrides: {}, problem: { message: 'unknown field', line: 3 } } });
    act(rig.draft).editConfig('max_batch_sise: 32');
    await act(rig.draft).settle();
    act(rig.draft).leaveConfig();
    expect(act(rig.draft)).toMatchObject({ overrides: {}, edit: { problem: { line: 3 } } });
    act(rig.draft).discardConfig();
    expect(act(rig.draft).edit).toBeNull();
  });
});
