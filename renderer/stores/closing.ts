import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent, WorkUnderWay } from '../../main/contract/api';

export interface Closing {
  /** null while nobody asked to close. */
  readonly work: WorkUnderWay | null;
  readonly stay: () => void;
  readonly onEvent: (event: WindowEvent) => void;
}

export function createClosing(): StoreApi<Closing> {
  return createStore<Closing>()((set) => ({
    work: null,
    stay: () => set({ work: null }),
    onEvent: (event) => {
      if (event.type === 'close-asked') set({ work: event.work });
    },
  }));
}
