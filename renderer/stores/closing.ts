import type { StoreApi } from 'zustand/vanilla';
import { createStore } from 'zustand/vanilla';
import type { WindowEvent } from '../../main/contract/api';

export interface Closing {
  /** Runs that a wish to close would stop; null while nobody wishes to. */
  readonly runIds: readonly string[] | null;
  readonly stay: () => void;
  readonly hear: (event: WindowEvent) => void;
}

/** Whether closing the window waits for an answer. */
export function createClosing(): StoreApi<Closing> {
  return createStore<Closing>()((set) => ({
    runIds: null,
    stay: () => {
      set({ runIds: null });
    },
    hear: (event) => {
      if (event.type === 'close-asked') set({ runIds: event.runIds });
    },
  }));
}
