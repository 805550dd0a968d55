import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ChosenFacets } from '../views/runs/filter-runs';

export interface RunFilter {
  readonly search: string;
  readonly chosen: ChosenFacets;
  readonly setSearch: (search: string) => void;
  readonly choose: (chosen: ChosenFacets) => void;
  /** Everything is shown again. */
  readonly clear: () => void;
}

/** What the list of runs is narrowed to; kept while other pages are shown, which may set it. */
export function createRunFilter(): StoreApi<RunFilter> {
  return createStore<RunFilter>()((set) => ({
    search: '',
    chosen: {},
    setSearch: (search) => {
      set({ search });
    },
    choose: (chosen) => {
      set({ chosen });
    },
    clear: () => {
      set({ search: '', chosen: {} });
    },
  }));
}
