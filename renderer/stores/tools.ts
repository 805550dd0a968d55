import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../main/contract/api';
import type { InstallWork, MachineStatus } from '../../main/contract/machine';
import type { Client } from '../client';
import type { Resource } from './resource';

export interface ToolInstall {
  /** null: nothing was installed since the workbench was started. */
  readonly work: InstallWork | null;
  readonly load: () => Promise<void>;
  /** Rejects with what the core refuses. */
  readonly install: () => Promise<void>;
  readonly cancel: () => Promise<void>;
  readonly hear: (event: WindowEvent) => void;
}

/** Installing the missing tools of the workbench; when it ends, the machine is read again. */
export function createToolInstall(
  client: Client,
  machine: StoreApi<Resource<MachineStatus>>,
): StoreApi<ToolInstall> {
  return createStore<ToolInstall>()((set) => ({
    work: null,
    load: async () => {
      set({ work: await client.call('tools.installWork') });
    },
    install: async () => {
      await client.call('tools.install');
    },
    cancel: async () => {
      await client.call('tools.cancelInstall');
    },
    hear: (event) => {
      if (event.type !== 'install-work') return;
      set({ work: event.work });
      if (event.work.status !== 'running') void machine.getState().load();
    },
  }));
}
