import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../../main/contract/api';
import type { DataWork } from '../../../main/contract/data-source';
import { toWire, type WireError } from '../../../main/contract/errors';
import { type HubModel, isHubReference } from '../../../main/contract/own/hub';
import type { Client } from '../../client';
import type { OwnModel } from './own-model';

/** A model of the Hugging Face hub on its way into the draft. */
export interface HubModelState {
  /** As typed: "hf:acme/my-bert". */
  readonly reference: string;
  /** What the hub has; null: not asked yet. */
  readonly model: HubModel | null;
  /** The download; null: none. */
  readonly work: DataWork | null;
  readonly error: WireError | null;
  readonly busy: boolean;
  readonly setReference: (text: string) => void;
  /** Asks the hub. True: it was in the cache, and the draft has it. @param asNew into a new draft */
  readonly look: (asNew?: boolean) => Promise<boolean>;
  /** Downloads what `look` found. Resolves when it ended; true: the draft has it. */
  readonly fetch: (asNew?: boolean) => Promise<boolean>;
  readonly cancel: () => Promise<void>;
  readonly onEvent: (event: WindowEvent) => void;
}

/** The prefix may be left out where nothing else is meant. */
const referenceOf = (typed: string): string => {
  const text = typed.trim();
  return isHubReference(text) ? text : `hf:${text}`;
};

export function createHubModel(client: Client, own: StoreApi<OwnModel>): StoreApi<HubModelState> {
  return createStore<HubModelState>()((set, get) => {
    const waiting = new Map<string, (work: DataWork) => void>();
    // One may end before its id is known here.
    const over = new Map<string, DataWork>();
    const ended = (workId: string): Promise<DataWork> =>
      new Promise((resolve) => {
        const work = over.get(workId);
        over.delete(workId);
        if (work === undefined) waiting.set(workId, resolve);
        else resolve(work);
      });
    const taken = async (path: string | null, asNew?: boolean): Promise<boolean> =>
      path !== null && own.getState().open(path, asNew);
    const attempt = async (act: () => Promise<boolean>): Promise<boolean> => {
      set({ error: null, busy: true });
      try {
        return await act();
      } catch (error) {
        set({ error: toWire(error) });
        return false;
      } finally {
        set({ busy: false });
      }
    };
    return {
      reference: '',
      model: null,
      work: null,
      error: null,
      busy: false,
      setReference: (reference) => set({ reference, model: null, work: null, error: null }),
      look: (asNew) =>
        attempt(async () => {
          const { reference } = get();
          set({ model: null, work: null });
          const model = await client.call('models.hub', { reference: referenceOf(reference) });
          // Another one was typed meanwhile.
          if (get().reference !== reference) return false;
          set({ model });
          return taken(model.path, asNew);
        }),
      fetch: (asNew) =>
        attempt(async () => {
          const { reference, model } = get();
          if (model === null) return false;
          const ask = { reference: referenceOf(reference), revision: model.revision };
          const { workId } = await client.call('models.fetch', ask);
          const work = await ended(workId);
          // Another one was typed meanwhile.
          if (get().model !== model) return false;
          set({ error: work.status === 'failed' ? work.error : null });
          return taken(work.path, asNew);
        }),
      async cancel() {
        const { work } = get();
        if (work !== null) await client.call('data.cancel', { workId: work.id });
      },
      onEvent(event) {
        if (event.type !== 'data-work' || event.work.kind !== 'model') return;
        const { work } = event;
        if (work.source === get().model?.revision) set({ work });
        if (work.status === 'running') return;
        const resolve = waiting.get(work.id);
        waiting.delete(work.id);
        if (resolve === undefined) over.set(work.id, work);
        else resolve(work);
      },
    };
  });
}
