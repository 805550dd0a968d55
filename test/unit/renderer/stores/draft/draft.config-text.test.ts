import { expect, it } from 'vitest';
import { type Draft, draftSchema } from '../../../../../main/contract/run/spec-tools';
import { createDraft } from '../../../../../renderer/stores/draft/draft';
import { createClientDouble } from '../../client-double';

function createRig() {
  const drafts = new Map<string, Draft>();
  const { client } = createClientDouble({
    'drafts.list': () => [...drafts.values()],
    'drafts.save': (input) => {
      const draft = draftSchema.parse(input);
      drafts.set(draft.id, draft);
      return null;
    },
    'drafts.remove': (input) => drafts.delete((input as { id: string }).id),
    'spec.preview': () => null,
    'spec.editConfig': (input) => {
      const { text } = input as { text: string };
      const problem = text.includes('sise') ? { message: 'unknown field', line: 1 } : null;
      return { overrides: problem === null ? { configure: { maxBatchSize: 32 } } : {}, problem };
    },
  });
  return { drafts, open: () => createDraft(client) };
}
const broken = 'max_batch_sise: 32';

it('a text of config.pbtxt that cannot be read is kept on disk and shown again with its problem', async () => {
  const { drafts, open } = createRig();
  const draft = open();
  await draft.getState().open();
  draft.getState().editConfig(broken);
  await expect.poll(() => [...drafts.values()][0]?.configText).toBe(broken);

  const reopened = open();
  await reopened.getState().open();
  expect(reopened.getState().edit).toMatchObject({ text: broken });
  await expect.poll(() => reopened.getState().edit?.problem).toEqual({ message: 'unknown field', line: 1 });
  expect(reopened.getState().id).toBe(draft.getState().id);
  expect(reopened.getState().editedAt).not.toBeNull();

  reopened.getState().editConfig('max_batch_size: 32');
  await expect
    .poll(() => [...drafts.values()][0]?.choice.overrides)
    .toEqual({ configure: { maxBatchSize: 32 } });
  expect([...drafts.values()][0]).not.toHaveProperty('configText');
});

it('a discarded text is kept no longer', async () => {
  const { drafts, open } = createRig();
  const draft = open();
  draft.getState().editConfig(broken);
  await expect.poll(() => [...drafts.values()][0]?.configText).toBe(broken);
  draft.getState().discardConfig();
  await expect.poll(() => [...drafts.values()][0]).not.toHaveProperty('configText');
});

it('a text that cannot be read comes back with the draft that another model took the place of', async () => {
  const draft = createRig().open();
  draft.getState().editConfig(broken);
  await draft.getState().settle();
  draft.getState().choosePreset('bert');
  expect(draft.getState().edit).toBeNull();
  draft.getState().takeBack();
  await draft.getState().settle();
  expect(draft.getState().edit).toMatchObject({ text: broken, problem: { line: 1 }, pending: false });
});
