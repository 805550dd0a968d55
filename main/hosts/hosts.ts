import { WorkbenchError } from '../contract/errors';
import type { Host, HostStatus, NewHost } from '../contract/host/hosts';
import type { DockerLink } from '../docker/docker-link';
import type { HomeLayout } from '../platform/layout';
import type { SshLimits, SshOutput } from '../platform/ssh/ssh-run';
import type { SshTarget } from '../platform/ssh/ssh-target';
import { createHostConnection, type HostConnection } from './host-connection';
import { type HostAccess, readHostStatus } from './host-status';
import { createHostStore } from './host-store';

/** Hosts that are asked at a time: each is some processes of ssh. */
const mostAtOnce = 8;

/** The machines to run on, beside this one. */
export interface Hosts {
  /** By name. Throws input-invalid for a damaged list. */
  list(): Promise<readonly Host[]>;
  /** Throws host-unknown. */
  get(name: string): Promise<Host>;
  /** Throws input-invalid where the name is taken. Connects to nothing. */
  add(host: NewHost): Promise<Host>;
  /** Throws host-unknown. */
  remove(name: string): Promise<void>;
  /** The host's Docker Engine; the same link as long as its address is the same. Throws host-unknown. */
  link(name: string): Promise<DockerLink>;
  /** How ssh reaches the host, also by a Docker context; null where Docker is reached by TLS. Throws host-unknown. */
  ssh(name: string): Promise<SshTarget | null>;
  /**
   * Runs a command of the host's shell. Throws host-unknown, host-unreachable, cancelled, and engine-unavailable where ssh
   * does not reach the host.
   */
  run(name: string, command: string, limits?: SshLimits): Promise<SshOutput>;
  /** The host as it is now, within 10 s of its turn: eight are asked at a time. Never rejects. */
  status(host: NewHost): Promise<HostStatus>;
  /** How a host is reached that need not be in the list. */
  connection(host: NewHost): HostConnection;
}

/** At most `most` of these works at a time; the others wait in their order. */
function createTurns(most: number): <Value>(work: () => Promise<Value>) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

function unknownHost(name: string, known: readonly Host[]): WorkbenchError {
  const remedy =
    known.length === 0
      ? 'Add it with "triton-workbench hosts add NAME ssh://user@host".'
      : `Known hosts: ${known.map((host) => host.name).join(', ')}.`;
  return new WorkbenchError('host-unknown', `Unknown host "${name}"`, { where: 'host', remedy });
}

/** @param options.env environment of ssh and of the Docker configuration */
export function createHosts(options: {
  readonly layout: Pick<HomeLayout, 'hosts' | 'instance'>;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => Date;
}): Hosts {
  const { layout, env, now } = options;
  const store = createHostStore({ file: layout.hosts, now });
  const connections = new Map<string, { readonly place: string; readonly connection: HostConnection }>();
  const inTurn = createTurns(mostAtOnce);
  const get = async (name: string): Promise<Host> => {
    const hosts = await store.read();
    const found = hosts.find((host) => host.name === name);
    if (found === undefined) throw unknownHost(name, hosts);
    return found;
  };
  const connection = (host: NewHost): HostConnection => {
    const place = JSON.stringify([host.address, host.certificates]);
    const known = connections.get(host.name);
    if (known?.place === place) return known.connection;
    const made = createHostConnection(host, { env, instanceFile: layout.instance });
    connections.set(host.name, { place, connection: made });
    return made;
  };
  const access = async (host: NewHost): Promise<HostAccess> => {
    const { link, ssh, run } = connection(host);
    return { link, run: (await ssh()) === null ? null : run };
  };
  return {
    list: () => store.read(),
    get,
    add: async (asked) => {
      const host: Host = { ...asked, addedAt: now().toISOString() };
      await store.change((hosts) => {
        if (hosts.some(({ name }) => name === host.name)) {
          throw new WorkbenchError('input-invalid', `There is a host "${host.name}" already`, {
            where: 'name',
            remedy: 'Choose another name, or remove that host first.',
          });
        }
        return [...hosts, host];
      });
      return host;
    },
    remove: async (name) => {
      await store.change((hosts) => {
        if (!hosts.some((host) => host.name === name)) throw unknownHost(name, hosts);
        return hosts.filter((host) => host.name !== name);
      });
      connections.delete(name);
    },
    link: async (name) => connection(await get(name)).link,
    ssh: async (name) => connection(await get(name)).ssh(),
    run: async (name, command, limits) => connection(await get(name)).run(command, limits),
    status: (host) => inTurn(() => readHostStatus(host, () => access(host), now)),
    connection,
  };
}
