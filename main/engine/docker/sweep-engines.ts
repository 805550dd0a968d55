import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DockerLink } from '../../docker/docker-link';
import type { NetworkLabels } from '../../docker/labels';
import { removeNetworks } from '../../docker/run-network';
import { isSameHolder, machineHolder } from '../../docker/volume-holder';
import { listVolumes, removeVolumes } from '../../docker/volumes';
import type { Hosts } from '../../hosts/hosts';
import { exists } from '../../platform/files';
import { isOrphan, sweepContainers } from './orphans';
import { volumesRecord } from './volume-files';

interface SweepEngine {
  readonly graceMs: number;
  /** Run that keeps what it has. */
  readonly except?: string | undefined;
  /** What all runs share goes too, where no run has files with the engine. */
  readonly shared?: boolean;
}

/**
 * What dead workbenches of this home left with an engine; nothing where it does not answer, which keeps its containers
 * until the next sweep.
 * @returns names of the containers that were removed
 */
export async function sweepEngine(
  link: DockerLink,
  { graceMs, except, shared = false }: SweepEngine,
): Promise<readonly string[]> {
  try {
    const client = await link.connect();
    const now = Date.now();
    const instance = await link.instance();
    // An engine of this machine has none: its containers see the folders themselves.
    const volumes = client.address.kind === 'unix' ? [] : await listVolumes(client, instance);
    // A copy of the home on another machine looks after its own: its leases are not seen from here.
    const own = await machineHolder();
    const elsewhere = new Set(
      volumes.filter(({ holder }) => !isSameHolder(holder, own)).map(({ run }) => run?.runId),
    );
    // Deployments outlive every workbench.
    const isLeft = (labels: Pick<NetworkLabels, 'runId' | 'runDir'> & { readonly role?: string }) =>
      labels.role === 'deployment' || labels.runId === except || elsewhere.has(labels.runId)
        ? false
        : isOrphan(labels, graceMs, now);
    const { removed } = await sweepContainers(client, instance, ({ labels }) => isLeft(labels));
    await removeNetworks(client, instance, isLeft);
    if (volumes.length === 0) return removed;
    await removeVolumes(client, instance, ({ run }) => run !== null && isLeft(run));
    const isUsed = (await listVolumes(client, instance)).some(
      ({ run }) => run !== null && run.role !== 'deployment',
    );
    if (shared && !isUsed) await removeVolumes(client, instance, ({ run }) => run === null);
    return removed;
  } catch {
    return [];
  }
}

/**
 * The engines of hosts, where a run of this home left its files with one of them: it ended while it could not be reached.
 * @param runs folder of the runs
 * @param all also where none did: what runs share is there after every run
 */
export async function enginesWithLeft(
  runs: string,
  hosts: Pick<Hosts, 'link' | 'list'>,
  all: boolean,
): Promise<readonly DockerLink[]> {
  const names = await readdir(runs).catch(() => []);
  const left = await Promise.all(names.map((name) => exists(join(runs, name, volumesRecord))));
  if (!all && !left.includes(true)) return [];
  const known = await hosts.list().catch(() => []);
  return Promise.all(known.map(({ name }) => hosts.link(name)));
}
