import { fromWire, toWire, WorkbenchError } from '../../contract/errors';
import type { Hosts } from '../../hosts/hosts';
import { createTunnels, type Tunnels } from './tunnels';

/** As long as the sessions of ssh that nobody uses. */
const idleMs = 60_000;

/** What a host sees at an address, and where that is reached from here. */
export interface SeenAddress {
  readonly host: string;
  /** `host:port` as the host sees it. */
  readonly there: string;
  /** Of {@link HostReach.open}. */
  readonly here: string;
}

/** What is said of the address here, of the one that the host sees: nobody knows the other. Pure. */
export function seenMessage(message: string, { host, there, here }: SeenAddress): string {
  const text = message.replaceAll(here, `${there} on ${host}`);
  return /other side closed|ECONNRESET|socket hang up/.test(text)
    ? `${text}. No process listens on this address of the host, or it closed the connection`
    : text;
}

/** Throws what `work` throws, about the address that the host sees. */
export async function asSeen<Value>(address: SeenAddress | null, work: () => Promise<Value>): Promise<Value> {
  if (address === null) return work();
  try {
    return await work();
  } catch (error) {
    const wire = toWire(error);
    throw fromWire({ ...wire, message: seenMessage(wire.message, address) });
  }
}

/** What listens on hosts, as programs of this machine reach it: through ssh, never published. */
export interface HostReach {
  /**
   * `host:port` here that leads to the `host:port` that the host sees, also after the line was cut. Throws host-unknown,
   * host-unreachable, and engine-unavailable where ssh does not reach the host.
   */
  open(host: string, address: string): Promise<string>;
  /** Why the last connection to that address did not reach the host; null: it did. */
  problem(host: string, address: string): string | null;
  close(): void;
}

/** @param env of ssh */
export function createHostReach(hosts: Pick<Hosts, 'ssh'>, env: NodeJS.ProcessEnv): HostReach {
  const known = new Map<string, { readonly place: string; readonly tunnels: Tunnels }>();
  const tunnelsOf = async (host: string): Promise<Tunnels> => {
    const target = await hosts.ssh(host);
    if (target === null) {
      throw new WorkbenchError('engine-unavailable', `The host ${host} is not reached by ssh`, {
        where: 'host',
        remedy: 'Add it with an address ssh://user@host.',
      });
    }
    const place = JSON.stringify(target);
    const found = known.get(host);
    if (found?.place === place) return found.tunnels;
    found?.tunnels.close();
    const tunnels = createTunnels(target, env, idleMs);
    known.set(host, { place, tunnels });
    return tunnels;
  };
  return {
    // A signal that fires would end the line also when it is there; ssh has its own limit.
    open: async (host, address) => (await tunnelsOf(host)).open(address, new AbortController().signal),
    problem: (host, address) => known.get(host)?.tunnels.problem(address) ?? null,
    close: () => {
      for (const { tunnels } of known.values()) tunnels.close();
      known.clear();
    },
  };
}
