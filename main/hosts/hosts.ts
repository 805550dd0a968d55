import { WorkbenchError } from '../contract/errors';
import { type Host, type NewHost, parseHostAddress } from '../contract/hosts';
import { createDockerLink, type DockerLink } from '../docker/docker-link';
import type { HomeLayout } from '../platform/layout';
import { sshForward, type SshTunnel } from '../platform/ssh/ssh-forward';
import { type SshLimits, type SshOutput, sshRun } from '../platform/ssh/ssh-run';
import type { SshTarget } from '../platform/ssh/ssh-target';
import { createHostStore } from './host-store';

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
  run(name: string, command: string, options?: SshLimits): Promise<SshOutput>;
  /** A port of this machine that leads to one of the host, or of what the host reaches. Throws as `run`. */
  tunnel(name: string, remoteHost: string, remotePort: number, signal?: AbortSignal): Promise<SshTunnel>;
}

/** The environment in which the docker command reaches the host. */
function dockerEnvironment({ address, certificates }: Host, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
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
  const links = new Map<string, { readonly place: string; readonly link: DockerLink }>();
  const get = async (name: string): Promise<Host> => {
    const hosts = await store.read();
    const found = hosts.find((host) => host.name === name);
    if (found === undefined) throw unknownHost(name, hosts);
    return found;
  };
  const link = async (name: string): Promise<DockerLink> => {
    const host = await get(name);
    const place = JSON.stringify([host.address, host.certificates]);
    const known = links.get(name);
    if (known?.place === place) return known.link;
    const made = createDockerLink({ env: dockerEnvironment(host, env), instanceFile: layout.instance });
    links.set(name, { place, link: made });
    return made;
  };
  const ssh: Hosts['ssh'] = async (name) => {
    const address = await (await link(name)).address();
    return address.kind === 'ssh' ? { destination: address.destination, port: address.port } : null;
  };
  const requireSsh = async (name: string): Promise<SshTarget> => {
    const target = await ssh(name);
    if (target !== null) return target;
    throw new WorkbenchError('engine-unavailable', `The host ${name} is not reached by ssh`, {
      where: 'host',
      remedy: 'Add it with an address ssh://user@host.',
    });
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
      links.delete(name);
    },
    link,
    ssh,
    run: async (name, command, limits = {}) => sshRun(await requireSsh(name), command, { env, ...limits }),
    tunnel: async (name, remoteHost, remotePort, signal) =>
      sshForward(await requireSsh(name), remoteHost, remotePort, { env, signal }),
  };
}
