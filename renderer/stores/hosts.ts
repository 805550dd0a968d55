import { createStore, type StoreApi } from 'zustand/vanilla';
import { toWire, type WireError } from '../../main/contract/errors';
import type { Host, HostStatus } from '../../main/contract/host/hosts';
import type { Check } from '../../main/contract/machine';
import type { Client } from '../client';

export interface HostEntry {
  readonly host: Host;
  readonly status: HostStatus | null;
  readonly checks: readonly Check[] | null;
  readonly asking: boolean;
}

export interface Hosts {
  readonly entries: readonly HostEntry[] | null;
  readonly error: WireError | null;
  /** Fetches the list without connecting to hosts. Never rejects. */
  readonly list: () => Promise<void>;
  /** Also connects to every host; answers are shown as they come. */
  readonly load: () => Promise<void>;
  readonly check: (name: string) => Promise<void>;
  readonly hideChecks: (name: string) => void;
}

export function createHosts(client: Client): StoreApi<Hosts> {
  return createStore<Hosts>()((set, get) => {
    const change = (name: string, part: Partial<HostEntry>): void => {
      const entries = get().entries?.map((entry) =>
        entry.host.name === name ? { ...entry, ...part } : entry,
      );
      set({ entries: entries ?? null });
    };
    const asking = async (name: string, ask: () => Promise<Partial<HostEntry>>): Promise<void> => {
      change(name, { asking: true });
      try {
        change(name, await ask());
      } catch (error) {
        set({ error: toWire(error) });
      } finally {
        change(name, { asking: false });
      }
    };
    const listed = async (): Promise<readonly Host[]> => {
      try {
        const hosts = await client.call('hosts.list');
        const before = get().entries ?? [];
        const entries = hosts.map((host): HostEntry => {
          const known = before.find((entry) => entry.host.name === host.name);
          // A status of another address does not apply.
          return known?.host.address === host.address
            ? { ...known, host }
            : { host, status: null, checks: null, asking: false };
        });
        set({ entries, error: null });
        return hosts;
      } catch (error) {
        set({ error: toWire(error) });
        return [];
      }
    };
    return {
      entries: null,
      error: null,
      list: async () => {
        await listed();
      },
      load: async () => {
        const hosts = await listed();
        await Promise.all(
          hosts.map(({ name }) =>
            asking(name, async () => ({ status: await client.call('hosts.status', { name }) })),
          ),
        );
      },
      check: (name) => asking(name, () => client.call('hosts.check', { name })),
      hideChecks: (name) => change(name, { checks: null }),
    };
  });
}
