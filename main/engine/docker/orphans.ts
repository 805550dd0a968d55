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

/** How long `resume` can reuse the containers of a dead process. */
export const adoptionMs = 30 * 60_000;

/**
 * Whether nobody works on this container or network. Within `graceMs` of its process's last sign of life it is kept for
 * `resume`. For a process on another machine or in another PID namespace liveness is unknown: its containers are kept
 * for `adoptionMs`, whatever `graceMs` is. A run that ended properly has no lease and nothing to resume.
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

/** Concurrent removals: one running container takes about 300 ms. */
const together = 4;

/**
 * Removes orphans among the containers of this home; failures do not stop the rest. Lists again at the end for remains
 * and new orphans. Returns the names of both. Throws if the engine gives no list.
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
  /** Run whose containers are kept. */
  readonly except?: string | undefined;
  /** Also remove shared volumes if no run has files on the engine. */
  readonly shared?: boolean;
}

/** Nothing if the engine does not respond: the next sweep retries. @returns names of removed containers */
export async function sweepEngine(
  link: DockerLink,
  { graceMs, except, shared = false }: SweepEngine,
): Promise<readonly string[]> {
  try {
    const client = await link.connect();
    const now = Date.now();
    const instance = await link.instance();
    // Local engines mount folders directly.
    const volumes = client.address.kind === 'unix' ? [] : await listVolumes(client, instance);
    // A copy of the home on another machine sweeps its own: its leases are not visible here.
    const own = await machineHolder();
    const elsewhere = new Set(
      volumes.filter(({ holder }) => !isSameHolder(holder, own)).map(({ run }) => run?.runId),
    );
    // Deployments outlive the process.
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

/** Engines of hosts with files of a run that ended while they were away. @param all also the others */
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

/** This machine's engine and those of hosts. @returns names of removed containers */
export async function sweepEngines(
  { docker, hosts, layout }: Pick<EngineParts, 'docker' | 'hosts' | 'layout'>,
  { all = false, except, spec, everywhere = false }: SweepHow,
  linkOf: (engine: DockerEngineSpec) => Promise<DockerLink>,
): Promise<readonly string[]> {
  // A home without containers needs no Docker Engine.
  if (!(await exists(layout.instance))) return [];
  const links = new Set([docker]);
  if (spec !== undefined && inContainers(spec.engine)) links.add(await linkOf(spec.engine));
  if (everywhere) for (const link of await enginesWithLeft(layout.runs, hosts, all)) links.add(link);
  return sweepLinks([...links], { graceMs: all ? 0 : adoptionMs, except, shared: all && everywhere });
}

/** Hosts on which runs left files. */
export async function sweepHosts({ hosts, layout }: Pick<EngineParts, 'hosts' | 'layout'>): Promise<void> {
  if (await exists(layout.instance)) await sweepLinks(await enginesWithLeft(layout.runs, hosts, false));
}
