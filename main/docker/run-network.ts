import type Docker from 'dockerode';
import { WorkbenchError } from '../contract/errors';
import { ask, type DockerClient, statusOf } from './client';
import { persist, type PersistOptions } from './container-life';
import { formatNetworkLabels, instanceFilter, type NetworkLabels, parseNetworkLabels } from './containers';

const patienceMs = 60_000;

/**
 * A bridge that nothing but published ports leads into: its containers do not reach each other, the engine lets no other
 * bridge reach them, and without masquerading nothing comes back to what they send beyond this machine. An `internal` network
 * would publish no ports.
 */
const closed = {
  'com.docker.network.bridge.enable_icc': 'false',
  'com.docker.network.bridge.enable_ip_masquerade': 'false',
} as const;

export const networkName = ({ instance, runId }: Pick<NetworkLabels, 'instance' | 'runId'>): string =>
  `twb-${instance.slice(0, 6)}-${runId}`;

/** The `docker network create` command line that makes the same network, for people to read and copy; pure. */
export const networkCommand = (run: NetworkLabels): string[] => [
  ...['docker', 'network', 'create'],
  ...Object.entries(closed).flatMap(([name, value]) => ['--opt', `${name}=${value}`]),
  networkName(run),
];

const isClosed = ({ Options = {} }: Docker.NetworkInspectInfo): boolean =>
  Object.entries(closed).every(([name, value]) => Options[name] === value);

/** The engine looks for names that contain it. */
async function findNetwork(
  client: DockerClient,
  name: string,
  signal: AbortSignal,
): Promise<Docker.NetworkInspectInfo | null> {
  const found = await ask(
    `look for the network ${name}`,
    (abortSignal) => client.docker.listNetworks({ filters: { name: [name] }, abortSignal }),
    { signal },
  );
  return found.find(({ Name }) => Name === name) ?? null;
}

/**
 * The network of a run's Triton, made where it is missing. Its name is the identity: a lost answer leads to a look at what
 * there is. Throws docker-failed when the name belongs to somebody else, or the engine has no addresses left.
 */
export async function ensureNetwork(
  client: DockerClient,
  run: NetworkLabels,
  options: Pick<PersistOptions, 'signal' | 'onTrouble'>,
): Promise<string> {
  const name = networkName(run);
  const { signal } = options;
  const isThere = async (): Promise<boolean> => {
    const found = await findNetwork(client, name, signal);
    if (found === null) return false;
    if (parseNetworkLabels(found.Labels, run.instance)?.runId === run.runId && isClosed(found)) return true;
    throw new WorkbenchError('docker-failed', `The name ${name} belongs to another network`, {
      where: found.Id,
      remedy: `Inspect it with "docker network inspect ${name}". The workbench does not change it.`,
    });
  };
  return persist({ ...options, patienceMs }, async () => {
    if (await isThere()) return name;
    try {
      await ask(
        `create the network ${name}`,
        (abortSignal) =>
          client.docker.createNetwork({
            Name: name,
            CheckDuplicate: true,
            Driver: 'bridge',
            Options: closed,
            Labels: formatNetworkLabels(run),
            abortSignal,
          }),
        { signal },
      );
    } catch (error) {
      if (/address pool/i.test((error as Error).message)) {
        throw new WorkbenchError('docker-failed', (error as Error).message, {
          remedy: 'Remove unused networks: "docker network prune".',
          cause: error,
        });
      }
      if (statusOf((error as Error).cause) !== 409) throw error;
      if (!(await isThere()))
        throw new WorkbenchError('docker-unreachable', `The name ${name} is being freed`);
    }
    return name;
  });
}

/** Of the networks of a home, those of runs that `isLeft` names go, unless a container is on them. Gives their names. */
export async function removeNetworks(
  client: DockerClient,
  instance: string,
  isLeft: (run: NetworkLabels) => boolean | Promise<boolean>,
): Promise<readonly string[]> {
  const filters = { ...instanceFilter(instance) };
  const all = await ask('list the networks', (abortSignal) =>
    client.docker.listNetworks({ filters, abortSignal }),
  );
  const removed: string[] = [];
  for (const { Id, Name, Labels } of all) {
    const run = parseNetworkLabels(Labels, instance);
    if (run === null || !(await isLeft(run))) continue;
    // 403: a container is on it. The next look finds what could not be removed.
    const gone = await ask(`remove the network ${Name}`, (abortSignal) =>
      client.docker.getNetwork(Id).remove({ abortSignal }),
    ).then(
      () => true,
      () => false,
    );
    if (gone) removed.push(Name);
  }
  return removed;
}
