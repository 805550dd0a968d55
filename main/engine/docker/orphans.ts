import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inContainers } from '../../contract/run/engine-kinds';
import type { DockerEngineSpec } from '../../contract/run/run-spec';
import type { DockerClient } from '../../docker/client';
import { removeContainer } from '../../docker/container-life';
import { listContainers, type NetworkLabels, type OwnContainer } from '../../docker/containers';
import type { DockerLink } from '../../docker/docker-link';
import { removeNetworks } from '../../docker/run-network';
import { isSameHolder, listVolumes, machineHolder, removeVolumes } from '../../docker/volumes';
import type { Hosts } from '../../hosts/hosts';
import { exists } from '../../platform/files';
import { isHeldElsewhere, leaseBeside, leaseFile, leaseHolder, readLiveHolder } from '../../store/file-lease';
import { volumesRecord } from '../docker-over-ssh/volume-files';
import type { EngineParts, SweepHow } from '../engine-interface';

/** How long the containers of a dead workbench wait for `resume` to take them up. */
export const adoptionMs = 30 * 60_000;

/**
 * True for containers and networks of runs and deployments that nobody works on. Within `graceMs` of the last sign of life of their workbench they
 * are left for `resume`. Whether a workbench on another machine or in another PID namespace lives cannot be looked up from
 * here: its containers are kept for `adoptionMs` whatever `graceMs` is, and no longer, as a namespace ends with its
 * container and nothing of the same one ever comes back for them. A run that was ended in an orderly way has no lease and
 * leaves nothing to take up.
 */
export async function isOrphan(
  { runDir }: Pick<NetworkLabels, 'runDir'>,
  graceMs: number,
  now: number,
): Promise<boolean> {
  if ((await leaseHolder(runDir).catch(() => null)) !== null) return false;
  if ((await readLiveHolder(leaseBeside(runDir)).catch(() => null)) !== null) return false;
  const isElsewhere = await isHeldElsewhere(runDir).catch(() => false);
  const last = await stat(join(runDir, leaseFile)).catch(() => null);
  return last === null || now - last.mtimeMs > (isElsewhere ? Math.max(graceMs, adoptionMs) : graceMs);
}

/** Removals at a time: an engine does several, and takes about 300 ms for one that runs. */
const together = 4;

/**
 * Removes the orphans among the containers of a workbench home; nothing is touched that the list of its own did not
 * give. One that cannot be removed keeps none of the others. A last list says what is left: what could not be removed,
 * and what became an orphan in the meantime. Gives the names of both. Throws when the engine gives no list.
 */
export async function sweepContainers(
  client: DockerClient,
  instance: string,
  isOrphan: (container: OwnContainer) => boolean | Promise<boolean>,
) {
  const orphans = async () => {
    const own = await listContainers(client, instance);
    const orphaned = await Promise.all(own.map(async (container) => isOrphan(container)));
    return own.filter((_container, index) => orphaned[index]);
  };
  const found = await orphans();
  for (let start = 0; start < found.length; start += together) {
    const some = found.slice(start, start + together);
    await Promise.allSettled(some.map(({ info }) => removeContainer(client, info.id)));
  }
  const left = await orphans();
  const still = new Set(left.map(({ info }) => info.id));
  return {
    removed: found.filter(({ info }) => !still.has(info.id)).map(({ info }) => info.name),
    left: left.map(({ info }) => info.name),
  };
}

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

const sweepLinks = async (
  links: readonly DockerLink[],
  how: SweepEngine = { graceMs: adoptionMs },
): Promise<readonly string[]> => (await Promise.all(links.map((link) => sweepEngine(link, how)))).flat();

/**
 * Over this machine's Docker Engine and those that are asked for.
 * @returns names of the containers that were removed
 */
export async function sweepEngines(
  { docker, hosts, layout }: Pick<EngineParts, 'docker' | 'hosts' | 'layout'>,
  { all = false, except, spec, everywhere = false }: SweepHow,
  linkOf: (engine: DockerEngineSpec) => Promise<DockerLink>,
): Promise<readonly string[]> {
  // A home that never asked for a container has none, and needs no engine to know it.
  if (!(await exists(layout.instance))) return [];
  const links = new Set([docker]);
  if (spec !== undefined && inContainers(spec.engine)) links.add(await linkOf(spec.engine));
  if (everywhere) for (const link of await enginesWithLeft(layout.runs, hosts, all)) links.add(link);
  return sweepLinks([...links], { graceMs: all ? 0 : adoptionMs, except, shared: all && everywhere });
}

/** The engines of hosts where runs left something. */
export async function sweepHosts({ hosts, layout }: Pick<EngineParts, 'hosts' | 'layout'>): Promise<void> {
  if (await exists(layout.instance)) await sweepLinks(await enginesWithLeft(layout.runs, hosts, false));
}
