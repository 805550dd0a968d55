import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RunSummary } from '../../main/contract/run/run-outcome';
import type { Client } from '../client';
import type { ChosenFacets } from '../views/runs/filter-runs';
import { createResource, type Resource } from './resource';

interface RowsToCome {
  readonly outdated: ReadonlySet<string>;
  readonly missing: number;
}

export function createRunList(client: Client): {
  readonly runs: StoreApi<Resource<readonly RunSummary[]>>;
  readonly rowsToCome: StoreApi<RowsToCome>;
} {
  const rowsToCome = createStore<RowsToCome>()(() => ({ outdated: new Set(), missing: 0 }));
  const runs = createResource(async () => {
    const { runs: rows, outdated, missing } = await client.call('runs.list');
    rowsToCome.setState({ outdated: new Set(outdated), missing });
    return rows;
  });
  return { runs, rowsToCome };
}

interface RunFilter {
  readonly search: string;
  readonly chosen: ChosenFacets;
  readonly setSearch: (search: string) => void;
  readonly choose: (chosen: ChosenFacets) => void;
  readonly clear: () => void;
}

export function createRunFilter(): StoreApi<RunFilter> {
  return createStore<RunFilter>()((set) => ({
    search: '',
    chosen: {},
    setSearch: (search) => set({ search }),
    choose: (chosen) => set({ chosen }),
    clear: () => set({ search: '', chosen: {} }),
  }));
}

interface Selection {
  readonly runIds: ReadonlySet<string>;
  readonly toggle: (runId: string) => void;
  readonly setAll: (runIds: readonly string[]) => void;
  readonly drop: (runIds: readonly string[]) => void;
}

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
