import { describe, expect, it } from 'vitest';
import type { Draft, ImportedSpec } from '../../../../../main/contract/run/spec-tools';
import { createDraft } from '../../../../../renderer/stores/draft/draft';
import { createClientDouble } from '../../client-double';

it('a draft has a p99 budget and a name, which are kept on disk and taken over by the run, not by the next draft', async () => {
  const drafts = new Map<string, Draft>();
  const { client } = createClientDouble({
    'drafts.list': () => [...drafts.values()],
    'drafts.save': (draft) => {
      const saved = draft as Draft;
      drafts.set(saved.id, saved);
      return null;
    },
    'drafts.remove': () => null,
    'spec.preview': () => null,
  });
  const draft = createDraft(client);
  const { id } = draft.getState();
  draft.getState().change(['format'], 'onnx');
  draft.getState().setBudget(20);
  await expect.poll(() => drafts.get(id)?.p99BudgetMs).toBe(20);
  draft.getState().setBudget(null);
  await expect.poll(() => drafts.get(id)?.p99BudgetMs).toBeUndefined();
  draft.getState().setName('nightly');
  draft.getState().setBudget(30);
  await expect.poll(() => drafts.get(id)?.p99BudgetMs).toBe(30);

  const reopened = createDraft(client);
  await reopened.getState().open();
  expect(reopened.getState()).toMatchObject({ id, p99BudgetMs: 30, name: 'nightly' });
  reopened.getState().started('a-run');
  expect(reopened.getState()).toMatchObject({ p99BudgetMs: null, name: '' });
});

describe('name and budget of a draft', () => {
  const fromSettings = { overrides: { engine: { kind: 'docker' } }, p99BudgetMs: 50 };
  const choice = { preset: 'resnet50', overrides: { configure: { maxBatchSize: 16 } } };
  const draftWith = (source: ImportedSpec['source'] = 'run-yaml') => {
    const { client } = createClientDouble({
      'drafts.list': () => [],
      'drafts.save': () => null,
      'drafts.remove': () => null,
      'spec.preview': () => null,
      'spec.import': () => ({ source, choice, notes: [] }),
    });
    const draft = createDraft(client, () => fromSettings);
    const now = () => draft.getState();
    now().change(['format'], 'onnx');
    now().setName('nightly');
    now().setBudget(20);
    return now;
  };
  const kept = { name: 'nightly', p99BudgetMs: 20 };

  it('stay with another preset, which the notice calls by its title', () => {
    const now = draftWith();
    now().choosePreset('bert', 'BERT');
    expect(now()).toMatchObject({ ...kept, preset: 'bert', notice: { kind: 'other-model', what: 'BERT' } });
  });

  it.each(['run-yaml', 'config-pbtxt'] as const)('stay with an import of %s', async (source) => {
    const now = draftWith(source);
    await now().importText('file', 'x');
    expect(now()).toMatchObject({ ...kept, overrides: choice.overrides });
  });

  it('are those of the settings for what begins anew', async () => {
    const now = draftWith();
    await now().importText('run.yaml', 'x', { asNew: true });
    expect(now()).toMatchObject({ name: '', p99BudgetMs: 50 });
    now().setName('nightly');
    now().setBudget(20);
    now().reuse(choice, 'run a-run');
    expect(now()).toMatchObject({ name: '', p99BudgetMs: 50 });
    now().reuse(choice, 'run a-run', 8);
    expect(now()).toMatchObject({ name: '', p99BudgetMs: 8 });
  });
});
