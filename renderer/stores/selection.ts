import { createStore, type StoreApi } from 'zustand/vanilla';

export interface Selection {
  readonly runIds: ReadonlySet<string>;
  readonly toggle: (runId: string) => void;
  readonly setAll: (runIds: readonly string[]) => void;
  readonly drop: (runIds: readonly string[]) => void;
}

/** The runs that are ticked in the list; kept while other pages are shown. */
export function createSelection(): StoreApi<Selection> {
  return createStore<Selection>()((set, get) => ({
    runIds: new Set(),
    toggle(runId) {
      const runIds = new Set(get().runIds);
      if (!runIds.delete(runId)) runIds.add(runId);
      set({ runIds });
    },
    setAll(runIds) {
      set({ runIds: new Set(runIds) });
    },
    drop(gone) {
      const away = new Set(gone);
      set({ runIds: new Set([...get().runIds].filter((runId) => !away.has(runId))) });
    },
  }));
}
