import { toWire, type WireError } from '../../../main/contract/errors';
import type { Draft } from '../../../main/contract/run/spec-tools';
import type { Client } from '../../client';
import { createLatest } from '../latest';

/** Less than a person notices, and few enough writes while a slider moves. */
const saveDelayMs = 250;
/** Drafts beyond these are forgotten, oldest first. */
const keptDrafts = 12;

const newestFirst = (drafts: readonly Draft[]): readonly Draft[] =>
  [...drafts].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));

interface DraftFiles {
  /** What lies on disk, newest first; what is over the limit is removed. Rejects as the core does. */
  readonly read: () => Promise<readonly Draft[]>;
  readonly saveSoon: () => void;
  readonly saveNow: () => Promise<void>;
  readonly remove: (id: string) => Promise<void>;
}

/** The drafts on disk. `told` hears how each save went: null when well. */
export function createDraftFiles(
  client: Client,
  current: () => Draft,
  told: (error: WireError | null) => void,
): DraftFiles {
  const save = createLatest(
    saveDelayMs,
    () => client.call('drafts.save', current()).then(() => null, toWire),
    told,
  );
  const remove = async (id: string): Promise<void> => {
    await client.call('drafts.remove', { id });
  };
  return {
    read: async () => {
      const drafts = newestFirst(await client.call('drafts.list'));
      for (const { id } of drafts.slice(keptDrafts)) await remove(id);
      return drafts.slice(0, keptDrafts);
    },
    saveSoon: save.soon,
    saveNow: save.now,
    remove,
  };
}
