import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../main/contract/api';
import type { ImageWork } from '../../main/contract/docker';
import { toWire, type WireError } from '../../main/contract/errors';
import type { Client } from '../client';

export interface ImageWorks {
  /** Newest first. */
  readonly works: readonly ImageWork[];
  readonly error: WireError | null;
  readonly load: () => Promise<void>;
  readonly dismiss: (id: string) => void;
  readonly onEvent: (event: WindowEvent) => void;
}

export function createImageWorks(client: Client): StoreApi<ImageWorks> {
  return createStore<ImageWorks>()((set, get) => {
    const dismissed = new Set<string>();
    const updates = new Map<string, ImageWork>();
    return {
      works: [],
      error: null,
      async load() {
        try {
          const fetched = await client.call('docker.imageWorks');
          const known = new Set(fetched.map((work) => work.id));
          // An event is at least as new as the answer, which it may have overtaken.
          const begun = get().works.filter((work) => !known.has(work.id));
          const works = [...begun, ...fetched.map((work) => updates.get(work.id) ?? work)];
          set({ works: works.filter((work) => !dismissed.has(work.id)), error: null });
        } catch (error) {
          set({ error: toWire(error) });
        }
      },
      dismiss(id) {
        dismissed.add(id);
        set({ works: get().works.filter((work) => work.id !== id) });
      },
      onEvent(event) {
        if (event.type !== 'image-work' || dismissed.has(event.work.id)) return;
        const { works } = get();
        updates.set(event.work.id, event.work);
        set({
          works: works.some((work) => work.id === event.work.id)
            ? works.map((work) => (work.id === event.work.id ? event.work : work))
            : [event.work, ...works],
        });
      },
    };
  });
}
