import { toWire } from '../../../main/contract/errors';
import type { ConfigEdit } from '../../../main/contract/run/spec-tools';
import { sameValue } from '../../../main/contract/trees';
import { createLatest } from '../latest';
import type { DraftSession } from './draft-session';
import { choiceOf, type DraftAccess, type DraftState, withEdit } from './draft-state';

const editDelayMs = 250;

export function createConfigText({ client, get, set }: DraftAccess, { edited, files }: DraftSession) {
  let left = false;
  const compare = createLatest(
    editDelayMs,
    async (): Promise<{ text: string; edit: ConfigEdit }> => {
      const text = get().edit?.text ?? '';
      const edit = await client
        .call('spec.editConfig', { ...choiceOf(get()), text })
        .catch((error: unknown) => ({
          overrides: {},
          problem: { message: toWire(error).message, line: null },
        }));
      return { text, edit };
    },
    ({ text, edit }) => {
      if (get().edit?.text !== text) return;
      const understood = edit.problem === null;
      set({ edit: understood && left ? null : { text, problem: edit.problem, pending: false } });
      const overrides = understood ? withEdit(get().overrides, edit.overrides) : get().overrides;
      if (!sameValue(overrides, get().overrides)) edited(overrides);
      else files.saveSoon();
    },
  );
  /** Parsed text is replaced by the generated one. */
  const leaveText = (): void => {
    const { edit } = get();
    if (edit?.problem === null && !edit.pending) set({ edit: null });
  };
  const slice: Pick<DraftState, 'editConfig' | 'leaveConfig' | 'discardConfig'> = {
    editConfig: (text) => {
      left = false;
      set({
        edit: { text, problem: get().edit?.problem ?? null, pending: true },
        editedAt: new Date().toISOString(),
      });
      compare.soon();
      files.saveSoon();
    },
    leaveConfig: () => {
      left = true;
      leaveText();
    },
    discardConfig: () => {
      set({ edit: null });
      files.saveSoon();
    },
  };
  return { compare, leaveText, slice };
}
