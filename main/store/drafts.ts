import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Draft, draftSchema } from '../contract/run/spec-tools';
import { makeFolder, writeFileAtomic } from '../platform/files';
import { jsonOrNull } from '../platform/parse-json';

/** One file per draft, replaced atomically. */
export interface Drafts {
  /** Newest first; skips unreadable files. */
  list(): Promise<readonly Draft[]>;
  /** Throws disk-full, file-unwritable. */
  save(draft: Draft): Promise<void>;
  /** No-op if missing. */
  remove(id: string): Promise<void>;
}

/** Age after which a temporary file counts as abandoned. */
const abandonedMs = 60_000;

async function readDraft(path: string): Promise<Draft | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return draftSchema.safeParse(jsonOrNull(text)).data ?? null;
}

async function removeAbandoned(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found !== null && Date.now() - found.mtimeMs > abandonedMs) await rm(path, { force: true });
}

/** One `<id>.json` each. */
export function createDrafts(dir: string): Drafts {
  const state: { tail: Promise<unknown> } = { tail: Promise.resolve() };
  const pathOf = (id: string) => join(dir, `${id}.json`);
  // Serialized, so that the later save wins.
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = state.tail.then(work);
    state.tail = done.catch(() => undefined);
    return done;
  };
  return {
    list: async () => {
      await state.tail;
      await makeFolder(dir);
      const drafts: Draft[] = [];
      for (const name of await readdir(dir)) {
        if (name.endsWith('.tmp')) await removeAbandoned(join(dir, name));
        if (!name.endsWith('.json')) continue;
        const draft = await readDraft(join(dir, name));
        // Ignores renamed copies.
        if (draft !== null && `${draft.id}.json` === name) drafts.push(draft);
      }
      return drafts.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0));
    },
    save: (draft) => inTurn(() => writeFileAtomic(pathOf(draft.id), JSON.stringify(draft))),
    remove: (id) => inTurn(() => rm(pathOf(id), { force: true })),
  };
}
