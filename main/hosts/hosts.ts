import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { didYouMean } from '../contract/fields/nearest-name';
import {
  type Host,
  hostSchema,
  type HostStatus,
  type NewHost,
  parseHostAddress,
} from '../contract/host/hosts';
import { createDockerLink, type DockerLink } from '../docker/docker-link';
import { writeFileAtomic } from '../platform/files';
import type { HomeLayout } from '../platform/layout';
import { readBoundedFile } from '../platform/plain-entry';
import { privateFile } from '../platform/private-home';
import { type SshLimits, type SshOutput, sshRun } from '../platform/ssh/ssh-run';
import type { SshTarget } from '../platform/ssh/ssh-target';
import { withFileTurn } from '../store/file-lease';
import { type HostAccess, readHostStatus } from './host-status';

const version = 1;
const fileSchema = z.strictObject({ version: z.literal(version), hosts: z.array(hostSchema).max(1000) });
const versionSchema = z.looseObject({ version: z.int().min(version + 1) });

const mostBytes = 1024 * 1024;

interface HostStore {
  /** By name. Throws input-invalid for an unreadable file; a damaged one is renamed first. */
  read(): Promise<readonly Host[]>;
  /** Serialized over all processes; each edit sees the one before. Throws as `read`. */
  change(edit: (hosts: readonly Host[]) => readonly Host[]): Promise<void>;
}

const problemOf = (error: unknown): string =>
  error instanceof z.ZodError
    ? error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
    : (error as Error).message;

/** "gpu2" before "gpu10". */
const order = new Intl.Collator('en', { numeric: true });

const byName = (hosts: readonly Host[]): readonly Host[] =>
  [...hosts].sort((a, b) => order.compare(a.name, b.name));

/** @param options.file `hosts.json` of the home */
export function createHostStore(options: { readonly file: string; readonly now: () => Date }): HostStore {
  const { file, now } = options;
  const setAside = async (problem: string): Promise<WorkbenchError> => {
    const stamp = now().toISOString().replace(/[:.]/g, '-');
    const aside = join(dirname(file), `hosts-unreadable-${stamp}.json`);
    const moved = await rename(file, aside).then(
      () => true,
      () => false,
    );
    return new WorkbenchError(
      'input-invalid',
      `The list of hosts is damaged${moved ? ` and was renamed to ${aside}` : ''}: ${problem.slice(0, 500)}`,
      {
        where: file,
        remedy: moved
          ? 'Correct that file and rename it back, or add the hosts again.'
          : 'Correct the file or rename it.',
      },
    );
  };
  const read = async (): Promise<readonly Host[]> => {
    const found = await readBoundedFile(file, mostBytes, { links: 'follow' });
    if ('problem' in found) {
      if (found.problem === 'it does not exist') return [];
      throw new WorkbenchError('input-invalid', `The list of hosts cannot be read: ${found.problem}`, {
        where: file,
        remedy: 'Make the file readable for your user, or rename it.',
      });
    }
    let content: unknown;
    try {
      content = JSON.parse(found.text);
    } catch (error) {
      throw await setAside(problemOf(error));
    }
    if (versionSchema.safeParse(content).success) {
      throw new WorkbenchError('input-invalid', 'The list of hosts was written by a newer workbench', {
        where: file,
        remedy: 'Use that version, or rename the file.',
      });
    }
    const parsed = fileSchema.safeParse(content);
    if (!parsed.success) throw await setAside(problemOf(parsed.error));
    return byName(parsed.data.hosts);
  };
  return {
    read,
    change: (edit) =>
      withFileTurn(file, 'the list of hosts', async (place) => {
        const hosts = byName(edit(await read()));
        await writeFileAtomic(place, `${JSON.stringify({ version, hosts }, null, 2)}\n`, privateFile);
      }),
  };
}

/** Concurrent hosts: each needs several ssh processes. */
const mostAtOnce = 8;

/** Connects at the first use. */
interface HostConnection {
  readonly link: DockerLink;
  /** Also through a Docker context; null for TLS. Throws input-invalid for an unknown context. */
  readonly ssh: () => Promise<SshTarget | null>;
  /** Runs a shell command on the host. Throws host-unreachable, cancelled, and engine-unavailable without ssh. */
  readonly run: (command: string, limits?: SshLimits) => Promise<SshOutput>;
}

/** Environment in which the docker command reaches the host. */
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

export interface Hosts {
  /** By name. Throws input-invalid for a damaged list. */
  list(): Promise<readonly Host[]>;
  /** Throws host-unknown. */
  get(name: string): Promise<Host>;
  /** Throws input-invalid where the name is taken. Does not connect. */
  add(host: NewHost): Promise<Host>;
  /** Throws host-unknown. */
  remove(name: string): Promise<void>;
  /** One link per host until its address changes. Throws host-unknown. */
  link(name: string): Promise<DockerLink>;
  /** Also through a Docker context; null for TLS. Throws host-unknown. */
  ssh(name: string): Promise<SshTarget | null>;
  /** Runs a shell command on the host. Throws host-unknown, host-unreachable, cancelled, and engine-unavailable without ssh. */
  run(name: string, command: string, limits?: SshLimits): Promise<SshOutput>;
  /** Within 10 s of its turn, eight at a time. Never rejects. */
  status(host: NewHost): Promise<HostStatus>;
  /** The host need not be in the list. */
  connection(host: NewHost): HostConnection;
}

/** Runs at most `most` works at a time, the others in order. */
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
  const names = known.map((host) => host.name);
  const remedy =
    names.length === 0
      ? 'Add it with "triton-workbench hosts add NAME ssh://user@host".'
      : `Known hosts: ${names.join(', ')}.`;
  const message = `Unknown host "${name}"${didYouMean(name, names)}`;
  return new WorkbenchError('host-unknown', message, { where: 'host', remedy });
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
          throw new WorkbenchError('input-invalid', `A host "${host.name}" already exists`, {
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
