import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../main/contract/api';
import type { DockerState } from '../../main/contract/docker';
import { toWire, type WireError } from '../../main/contract/errors';
import type { Client } from '../client';

export type ContainerAction = 'start' | 'stop' | 'restart' | 'remove';

export interface Docker {
  /** null before the first answer. */
  readonly state: DockerState | null;
  readonly error: WireError | null;
  readonly busy: Readonly<Record<string, ContainerAction>>;
  readonly load: () => Promise<void>;
  /** Rejects with the core's error. */
  readonly act: (action: ContainerAction, id: string) => Promise<void>;
  readonly onEvent: (event: WindowEvent) => void;
}

/** Whether the engine was asked for `next` before it was asked for `known`. */
function isOlder(next: DockerState, known: DockerState | null): boolean {
  if (known === null || known.listedAt === null || next.listedAt === null) return false;
  return Date.parse(next.listedAt) < Date.parse(known.listedAt);
}

const without = <Value>(record: Readonly<Record<string, Value>>, id: string) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== id));

export function createDocker(client: Client): StoreApi<Docker> {
  return createStore<Docker>()((set, get) => {
    let events = 0;
    return {
      state: null,
      error: null,
      busy: {},
      async load() {
        const before = events;
        try {
          const state = await client.call('docker.state');
          // An event that came meanwhile is at least as new.
          if (events === before && !isOlder(state, get().state)) set({ state });
          set({ error: null });
        } catch (error) {
          set({ error: toWire(error) });
        }
      },
      async act(action, id) {
        if (id in get().busy) return;
        set({ busy: { ...get().busy, [id]: action } });
        try {
          await client.call(`docker.${action}`, { id });
        } finally {
          set({ busy: without(get().busy, id) });
        }
      },
      onEvent(event) {
        if (event.type !== 'docker-changed' || isOlder(event.state, get().state)) return;
        events += 1;
        set({ state: event.state, error: null });
      },
    };
  });
}
