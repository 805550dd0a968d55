import { describe, expect, it } from 'vitest';
import type { Draft, ImportedSpec } from '../../../../../main/contract/run/spec-tools';
import { createDraft } from '../../../../../renderer/stores/draft/draft';
import { type DraftState, isWorthKeeping } from '../../../../../renderer/stores/draft/draft-state';
import { specFixture } from '../../../../support/run-state';
import { createClientDouble } from '../../client-double';

const left: Draft = {
  ...{ id: 'left', choice: { preset: 'resnet50', overrides: { format: 'onnx' } } },
  ...{ page: 'accuracy', updatedAt: '2026-01-02T00:00:00Z' },
};

/** The core's drafts in memory. */
function createRig({
  drafts: stored = [],
  imported,
}: { drafts?: readonly Draft[]; imported?: ImportedSpec } = {}) {
  const drafts = new Map(stored.map((draft) => [draft.id, draft]));
  const { client, calls } = createClientDouble({
    'drafts.list': () => [...drafts.values()],
    'drafts.save': (draft) => drafts.set((draft as Draft).id, draft as Draft),
    'drafts.remove': (input) => drafts.delete((input as { id: string }).id),
    'spec.import': () => imported,
    'spec.preview': () => ({ spec: specFixture(), specHash: null, defaults: null, problems: [] }),
  });
  return { calls, drafts, draft: createDraft(client) };
}
const act = (draft: ReturnType<typeof createDraft>): DraftState => draft.getState();

describe('a new deployment', () => {
  it('can be left for the draft before it until it is started, and then stays on disk itself', async () => {
    const rig = createRig({ drafts: [left] });
    await act(rig.draft).open();
    act(rig.draft).startNew('bert');
    act(rig.draft).change(['format'], 'ts-trace');
    const { id } = act(rig.draft);
    expect(act(rig.draft).notice).toEqual({ kind: 'started-new' });
    act(rig.draft).takeBack();
    expect(act(rig.draft)).toMatchObject({ id: 'left', notice: null });
    expect(act(rig.draft).older.map((draft) => draft.id)).toEqual([id]);
    await expect.poll(() => rig.drafts.get(id)?.choice.overrides).toEqual({ format: 'ts-trace' });
  });

  it('takes the place of a draft in which nothing was chosen', async () => {
    const { draft } = createRig();
    await act(draft).open();
    const { id } = act(draft);
    act(draft).startNew('bert');
    expect(act(draft)).toMatchObject({ id, preset: 'bert', notice: null, older: [], editedAt: null });
    act(draft).setBudget(20);
    expect(isWorthKeeping(act(draft), { overrides: {}, p99BudgetMs: null })).toBe(true);
    act(draft).startNew('bert');
    expect(act(draft)).toMatchObject({ p99BudgetMs: null, notice: { kind: 'started-new' } });
  });

  it('with an import is not laid over the draft before it, nor over the change of a run', async () => {
    const choice = { preset: 'resnet50', overrides: { configure: { maxBatchSize: 16 } } };
    const { draft, calls } = createRig({
      drafts: [{ ...left, changing: 'a-run' }],
      imported: { source: 'config-pbtxt', choice, notes: [] },
    });
    await act(draft).open();
    await act(draft).importText('config.pbtxt', 'x', { asNew: true });
    expect(calls.find(([name]) => name === 'spec.import')?.[1]).toMatchObject({ overrides: {} });
    expect(act(draft)).toMatchObject({ overrides: choice.overrides, changing: null, page: 'environment' });
    expect(act(draft).id).not.toBe('left');
    expect(act(draft).older).toMatchObject([{ id: 'left', changing: 'a-run' }]);
    act(draft).takeBack();
    expect(act(draft)).toMatchObject({ id: 'left', overrides: { format: 'onnx' }, changing: 'a-run' });
  });
});

describe('a draft that was laid aside', () => {
  const aside: Draft = {
    ...{ id: 'aside', choice: { preset: 'bert', overrides: { precision: 'fp16' } }, page: 'performance' },
    ...{ name: 'nightly', p99BudgetMs: 20, changing: 'a-run', updatedAt: '2026-01-01T00:00:00Z' },
  };

  it('is opened as it was left, and the one before it is kept', async () => {
    const { draft, drafts } = createRig({ drafts: [aside, left] });
    await act(draft).open();
    expect(act(draft).id).toBe('left');
    act(draft).openDraft(aside);
    expect(act(draft)).toMatchObject({
      ...{ id: 'aside', preset: 'bert', overrides: { precision: 'fp16' }, page: 'performance' },
      ...{ name: 'nightly', p99BudgetMs: 20, changing: 'a-run', notice: { kind: 'opened' } },
    });
    expect(act(draft).older.map(({ id }) => id)).toEqual(['left']);
    act(draft).takeBack();
    expect(act(draft)).toMatchObject({ id: 'left', changing: null, notice: null });
    expect(act(draft).older.map(({ id }) => id)).toEqual(['aside']);
    expect(drafts.get('aside')).toMatchObject({ changing: 'a-run', name: 'nightly' });
  });

  it('takes the place of a draft in which nothing was chosen', async () => {
    const { draft, drafts } = createRig({ drafts: [aside] });
    await act(draft).open();
    act(draft).started('a-run');
    const { id } = act(draft);
    act(draft).openDraft(aside);
    expect(act(draft)).toMatchObject({ id: 'aside', notice: null, older: [] });
    expect(drafts.has(id)).toBe(false);
  });

  it('is none where nothing was in it, and can be taken back all the same', async () => {
    const { draft } = createRig();
    await act(draft).open();
    const { id } = act(draft);
    act(draft).reuse({ preset: 'bert', overrides: { precision: 'fp16' } }, 'run a-run');
    expect(act(draft)).toMatchObject({ id, preset: 'bert', older: [] });
    act(draft).takeBack();
    expect(act(draft)).toMatchObject({ id, preset: 'resnet50', overrides: {}, older: [] });
  });
});
