import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../main/contract/api';
import type { MachineStatus } from '../../main/contract/machine';
import type { ComponentId, ComponentStatus, SetupWork } from '../../main/contract/setup';
import type { Client } from '../client';
import type { Resource } from './resource';

export interface Tools {
  /** null: not read yet. */
  readonly components: readonly ComponentStatus[] | null;
  /** null: nothing was installed in this session. */
  readonly work: SetupWork | null;
  readonly load: () => Promise<void>;
  readonly loadComponents: () => Promise<void>;
  /** Rejects with the core's error, as the two below. */
  readonly install: (components: readonly ComponentId[]) => Promise<void>;
  readonly repair: (components: readonly ComponentId[]) => Promise<void>;
  readonly remove: (components: readonly ComponentId[]) => Promise<void>;
  readonly cancel: () => Promise<void>;
  readonly onEvent: (event: WindowEvent) => void;
}

export function createTools(client: Client, machine: StoreApi<Resource<MachineStatus>>): StoreApi<Tools> {
  return createStore<Tools>()((set, get) => ({
    components: null,
    work: null,
    load: async () => {
      set({ work: await client.call('tools.work') });
    },
    loadComponents: async () => {
      set({ components: await client.call('tools.list') });
    },
    install: async (components) => {
      await client.call('tools.install', { components: [...components], repair: false });
    },
    repair: async (components) => {
      await client.call('tools.install', { components: [...components], repair: true });
    },
    remove: async (components) => {
      await client.call('tools.remove', { components: [...components] });
    },
    cancel: async () => {
      await client.call('tools.cancel');
    },
    onEvent: (event) => {
      if (event.type !== 'setup-work') return;
      const before = get().work;
      set({ work: event.work });
      const isOther = before?.component !== event.work.component;
      if (event.work.status !== 'running') void machine.getState().load();
      if (get().components !== null && (isOther || event.work.status !== 'running'))
        void get().loadComponents();
    },
  }));
}
