import type { StoreApi } from 'zustand/vanilla';
import { createStore } from 'zustand/vanilla';

export interface Overlay {
  /** What lies over the page: the command palette, the list of shortcuts, or nothing. */
  readonly shown: 'palette' | 'shortcuts' | null;
  readonly show: (what: 'palette' | 'shortcuts') => void;
  readonly close: () => void;
}

export function createOverlay(): StoreApi<Overlay> {
  return createStore<Overlay>()((set) => ({
    shown: null,
    show: (what) => {
      set({ shown: what });
    },
    close: () => {
      set({ shown: null });
    },
  }));
}
