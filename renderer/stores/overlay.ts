import type { StoreApi } from 'zustand/vanilla';
import { createStore } from 'zustand/vanilla';

export interface Overlay {
  /** What lies over the page: the command palette, the list of shortcuts, the name of a run, or nothing. */
  readonly shown: 'palette' | 'shortcuts' | 'rename' | null;
  /** The run whose name is asked for; null: none. */
  readonly renamed: string | null;
  readonly show: (what: 'palette' | 'shortcuts') => void;
  readonly rename: (runId: string) => void;
  readonly close: () => void;
}

export function createOverlay(): StoreApi<Overlay> {
  return createStore<Overlay>()((set) => ({
    shown: null,
    renamed: null,
    show: (what) => {
      set({ shown: what, renamed: null });
    },
    rename: (runId) => {
      set({ shown: 'rename', renamed: runId });
    },
    close: () => {
      set({ shown: null, renamed: null });
    },
  }));
}
