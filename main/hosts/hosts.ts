import { WorkbenchError } from '../contract/errors';
import { type Host, type HostStatus, type NewHost, parseHostAddress } from '../contract/host/hosts';
import { createDockerLink, type DockerLink } from '../docker/docker-link';
import type { HomeLayout } from '../platform/layout';
import { type SshLimits, type SshOutput, sshRun } from '../platform/ssh/ssh-run';
import type { SshTarget } from '../platform/ssh/ssh-target';
import { type HostAccess, readHostStatus } from './host-status';
import { createHostStore } from './host-store';

/** Hosts that are asked at a time: each is some processes of ssh. */
const mostAtOnce = 8;

/** How a host is reached; connects at the first use. */
interface HostConnection {
  readonly link: DockerLink;
  /** Also by a Docker context; null where Docker is reached by TLS. Throws input-invalid for an unknown context. */
  readonly ssh: () => Promise<SshTarget | null>;
  /** Runs a command of the host's shell. Throws host-unreachable, cancelled, and engine-unavailable without ssh. */
  readonly run: (command: string, limits?: SshLimits) => Promise<SshOutput>;
}

/** The environment in which the docker command reaches the host. */
function dockerEnvironment({ address, certificates }: NewHost, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const bare = {
    ...env,
    DOCKER_HOST: undefined,
    DOCKER_CONTEXT: undefined,
    DOCKER_TLS: undefined,
    DOCKER_TLS_VERIFY: undefined,
  };
  const place = parseHostAddress(address);
  if (place?.kind === 'context') return { ...bare, DOCKER_CONTEXT: place.context };
  if (place?.kind !== 'tcp') return { ...bare, DOCKER_HOST: address };
  const folder = certificates ?? env['DOCKER_CERT_PATH'];
  return { ...bare, DOCKER_HOST: address, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder };
}

/** @param options.env environment of ssh and of the Docker configuration */
function createHostConnection(
  host: NewHost,
  options: { readonly env: NodeJS.ProcessEnv; readonly instanceFile: string },
): HostConnection {
  const { env, instanceFile } = options;
  const link = createDockerLink({ env: dockerEnvironment(host, env), instanceFile });
  const ssh: HostConnection['ssh'] = async () => {
    const address = await link.address();
    return address.kind === 'ssh' ? { destination: address.destination, port: address.port } : null;
  };
  const requireSsh = async (): Promise<SshTarget> => {
    const target = await ssh();
    if (target !== null) return target;
    throw new WorkbenchError('engine-unavailable', `The host ${host.name} is not reached by ssh`, {
      where: 'host',
      remedy: 'Add it with an address ssh://user@host.',
    });
  };
  return {
    link,
    ssh,
    run: async (command, limits = {}) => sshRun(await requireSsh(), command, { env, ...limits }),
  };
}

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
