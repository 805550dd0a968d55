import type Docker from 'dockerode';
import { WorkbenchError } from '../contract/errors';
import { ask, type DockerClient, statusOf } from './client';
import { persist, type PersistOptions } from './container-life';
import { formatNetworkLabels, instanceFilter, type NetworkLabels, parseNetworkLabels } from './containers';

const patienceMs = 60_000;

/** Isolated containers without masquerading, with published ports only, which an `internal` network could not have. */
const closed = {
  'com.docker.network.bridge.enable_icc': 'false',
  'com.docker.network.bridge.enable_ip_masquerade': 'false',
} as const;

export const networkName = ({ instance, runId }: Pick<NetworkLabels, 'instance' | 'runId'>): string =>
  `twb-${instance.slice(0, 6)}-${runId}`;

/** Equivalent `docker network create` command for display. */
export const networkCommand = (run: NetworkLabels): string[] => [
  ...['docker', 'network', 'create'],
  ...Object.entries(closed).flatMap(([name, value]) => ['--opt', `${name}=${value}`]),
  networkName(run),
];

const isClosed = ({ Options = {} }: Docker.NetworkInspectInfo): boolean =>
  Object.entries(closed).every(([name, value]) => Options[name] === value);

/** Docker matches names by substring. */
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
 * Finds or creates a run's network, identified by name, so that lost responses are harmless. Throws docker-failed for a
 * name of others, and if the engine has no addresses left.
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

/** Removes networks of runs that `isLeft` selects, unless in use. Returns their names. */
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
    // 403: in use. The next sweep retries.
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
