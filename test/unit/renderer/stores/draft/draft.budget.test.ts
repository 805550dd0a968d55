import { expect, it } from 'vitest';
import type { Draft } from '../../../../../main/contract/run/spec-tools';
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
