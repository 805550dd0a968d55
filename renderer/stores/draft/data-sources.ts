import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../../main/contract/api';
import type { DataItem, DataWork } from '../../../main/contract/data-source';
import { toWire, type WireError } from '../../../main/contract/errors';
import type { Client } from '../../client';
import { type DraftState, isOwnModel } from './draft-state';

export interface DataSources {
  readonly preset: string | null;
  readonly items: readonly DataItem[];
  readonly works: Readonly<Record<string, DataWork>>;
  readonly error: WireError | null;
  readonly load: (preset: string) => Promise<void>;
  /** The draft takes the data once it is there. Rejects with the core's error. */
  readonly fetch: (item: DataItem) => Promise<void>;
  readonly cancel: (work: DataWork) => Promise<void>;
  readonly use: (item: DataItem, path: string) => void;
  readonly onEvent: (event: WindowEvent) => void;
}

export const workKey = (preset: string, source: string): string => `${preset}/${source}`;

export function createDataSources(client: Client, draft: StoreApi<DraftState>): StoreApi<DataSources> {
  return createStore<DataSources>()((set, get) => {
    const awaited = new Set<string>();
    const keep = (work: DataWork) => {
      set({ works: { ...get().works, [workKey(work.preset, work.source)]: work } });
    };
    const takeUp = (work: DataWork) => {
      if (work.status === 'running' || !awaited.delete(work.id)) return;
      const item = get().items.find(({ source }) => source.id === work.source);
      const { preset, overrides } = draft.getState();
      const wanted = get().preset === work.preset && preset === work.preset && !isOwnModel(overrides);
      if (wanted && item !== undefined && work.path !== null) get().use(item, work.path);
    };
    return {
      preset: null,
      items: [],
      works: {},
      error: null,
      async load(preset) {
        if (get().preset !== preset) set({ preset, items: [] });
        try {
          const [items, works] = await Promise.all([
            client.call('data.list', { preset }),
            client.call('data.works'),
          ]);
          if (get().preset !== preset) return;
          set({ items, error: null });
          // Events that came meanwhile are newer; the answer has the newest first.
          for (const work of works) {
            if (!(workKey(work.preset, work.source) in get().works)) keep(work);
          }
        } catch (error) {
          if (get().preset === preset) set({ error: toWire(error) });
        }
      },
      async fetch({ source }) {
        const { preset } = get();
        if (preset === null) return;
        const { workId } = await client.call('data.fetch', { preset, source: source.id });
        awaited.add(workId);
        // It may have ended before its id was known here.
        const known = get().works[workKey(preset, source.id)];
        if (known?.id === workId) takeUp(known);
      },
      async cancel(work) {
        await client.call('data.cancel', { workId: work.id });
      },
      use({ kind, source }, path) {
        const { change } = draft.getState();
        change(['model', kind], path);
        for (const [name, value] of Object.entries(source.args ?? {})) change(['model', 'args', name], value);
      },
      onEvent(event) {
        if (event.type !== 'data-work') return;
        const { work } = event;
        keep(work);
        takeUp(work);
        if (work.status !== 'running' && work.preset === get().preset) void get().load(work.preset);
      },
    };
  });
}
