import type { Handlers } from '../contract/api';
import { WorkbenchError } from '../contract/errors';
import type { HostCheck, HostStatus, NewHost } from '../contract/host/hosts';
import type { Check } from '../contract/machine';
import type { DockerEngineSpec } from '../contract/run/run-spec';
import { preflightPlan } from '../engine/docker/preflight-plan';
import { releaseFor, releaseNeeds } from '../engine/docker/run-release';
import { preflight } from '../machine/preflight';
import { readReleases } from '../machine/releases';
import type { CoreParts } from './core-parts';

type HostCall = Extract<keyof Handlers, `hosts.${string}`>;
type HostParts = Pick<CoreParts, 'hosts' | 'options'>;

/** Nothing is known of these on another machine. */
const unknownFacts = { disks: [], sharedMemoryBytes: null, memoryFreeBytes: 0, loadAverage: 0 } as const;
const noGpus = { driverVersion: null, cudaVersion: null, gpus: [], problem: null } as const;

/** What keeps the host from running Triton in containers: with its GPUs where it has any, else on its CPU. */
async function preflightOf(
  { hosts, options }: HostParts,
  host: NewHost,
  status: Extract<HostStatus, { reachable: true }>,
): Promise<readonly Check[]> {
  const { resources, registry } = options;
  const gpus = status.gpus ?? noGpus;
  const docker = status.docker.reachable
    ? { ...status.docker, rootFreeBytes: status.diskFreeBytes }
    : status.docker;
  const hasGpus = gpus.gpus.length > 0;
  const engine: DockerEngineSpec = { kind: 'docker', gpus: hasGpus ? ['all'] : [], shmSizeMiB: 1024 };
  const releases = await readReleases(resources);
  const fit = hasGpus ? releaseFor(engine, releaseNeeds(engine, null), { gpus, releases }) : null;
  const chosen = fit?.kind === 'fits' ? { release: fit.release } : {};
  const { link } = hosts.connection(host);
  const plan = await preflightPlan({ ...engine, ...chosen }, { resources, registry, link }, docker);
  const gpusOfEngine = status.gpus !== null;
  return preflight({ gpus, gpusOfEngine, docker, releases, plan, host: unknownFacts, tools: null });
}

async function check(parts: HostParts, host: NewHost): Promise<HostCheck> {
  const status = await parts.hosts.status(host);
  return { status, checks: status.reachable ? await preflightOf(parts, host, status) : [] };
}

/** Throws while this home has containers running there, and where that cannot be asked. */
function requireUnused(status: HostStatus): void {
  const { name } = status;
  const unasked = (why: string, remedy: string) =>
    new WorkbenchError('host-unreachable', `${name} cannot be asked what runs there: ${why}`, {
      where: 'host',
      remedy: `${remedy} Or remove it with --force.`,
    });
  if (!status.reachable) throw unasked(status.message, status.remedy);
  const { runs, deployments, docker } = status;
  if (runs === null || deployments === null)
    throw unasked(docker.reachable ? 'Docker does not respond' : docker.message, 'Start Docker there.');
  const [run] = runs;
  if (run !== undefined) {
    throw new WorkbenchError('run-busy', `The run ${run} is using ${name}`, {
      where: 'host',
      remedy: 'Wait for it to finish or cancel it, or remove the host with --force.',
    });
  }
  const [deployment] = deployments;
  if (deployment !== undefined) {
    throw new WorkbenchError('deployment-busy', `The deployment ${deployment} is serving on ${name}`, {
      where: 'host',
      remedy: 'Stop it, or remove the host with --force.',
    });
  }
}

/** What people do with the machines to run on. */
export function createHostCalls(parts: HostParts): Pick<Handlers, HostCall> {
  const { hosts } = parts;
  return {
    'hosts.list': () => hosts.list(),
    'hosts.add': (host) => hosts.add(host),
    'hosts.status': async ({ name }) => hosts.status(await hosts.get(name)),
    'hosts.check': async ({ name }) => check(parts, await hosts.get(name)),
    'hosts.try': (host) => check(parts, host),
    'hosts.remove': async ({ name, force }) => {
      const host = await hosts.get(name);
      if (!force) requireUnused(await hosts.status(host));
      await hosts.remove(name);
      return null;
    },
  };
}
