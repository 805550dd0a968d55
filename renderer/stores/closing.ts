import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent, WorkUnderWay } from '../../main/contract/api';

export interface Closing {
  /** What a wish to close would stop; null while nobody wishes to. */
  readonly work: WorkUnderWay | null;
  readonly stay: () => void;
  readonly onEvent: (event: WindowEvent) => void;
}

/** Whether closing the window waits for an answer. */
export function createClosing(): StoreApi<Closing> {
  return createStore<Closing>()((set) => ({
    work: null,
    stay: () => set({ work: null }),
    onEvent: (event) => {
      if (event.type === 'close-asked') set({ work: event.work });
    },
  }));
}
