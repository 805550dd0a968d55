import type { Handlers } from '../contract/api';
import { WorkbenchError } from '../contract/errors';
import type { HostCheck, HostStatus, NewHost } from '../contract/host/hosts';
import type { Check } from '../contract/machine';
import type { DockerEngineSpec } from '../contract/run/run-spec';
import { mergeTrees, unsetAt } from '../contract/trees';
import { releaseFor, releaseNeeds } from '../engine/docker/run-images';
import { preflightPlan } from '../engine/docker/run-preflight';
import { readEnvironment } from '../machine/environment';
import type { FittingRelease } from '../machine/fitting-release';
import { readGpus } from '../machine/gpu-report';
import { preflight, readMachineStatus } from '../machine/preflight';
import { remoteHost } from '../machine/preflight-docker';
import { readReleases } from '../machine/releases';
import { sourceOf } from '../own/own-preset';
import { requireSameModel } from '../pipeline/change-spec';
import type { Runs } from '../pipeline/runs';
import { requirePreset } from '../presets/presets';
import { minimalOverrides, resolveSpec } from '../presets/resolve-spec';
import type { TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';
import { createPresetReading } from './reading/preset-reading';

/** The release of NVIDIA's images that fits, or what is missing. */
function releaseText(fit: FittingRelease | null): string | null {
  if (fit === null) return null;
  return fit.kind === 'fits' ? fit.reason : `${fit.finding} ${fit.remedy}`;
}

export function createMachineCalls({
  docker,
  engines,
  options,
  tools,
}: CoreParts): Pick<Handlers, 'machine.get' | 'machine.gpus'> & Pick<TrustedCalls, 'machine.check'> {
  const { env, resources, registry, home, version } = options;
  const machine: TrustedCalls['machine.check'] = async ({ engine, format = null }) => {
    let fit: FittingRelease | null = null;
    const status = await readMachineStatus({
      env,
      resources,
      home,
      environment: () => readEnvironment({ workbenchVersion: version, engine: 'local', env }),
      engines: () => engines.detect(),
      docker: () => docker.facts(),
      tools: () => tools.facts(),
      // Containers bring their own.
      usesTools: engine === undefined,
      plan: async (facts, gpus) => {
        const named = engine ?? {
          kind: 'docker',
          gpus: gpus.gpus.length > 0 ? ['all'] : [],
          shmSizeMiB: 1024,
        };
        const releases = await readReleases(resources);
        fit =
          remoteHost(facts) === null
            ? releaseFor(named, releaseNeeds(named, format), { gpus, releases })
            : null;
        const chosen = named.release === undefined && fit?.kind === 'fits' ? { release: fit.release } : {};
        return preflightPlan({ ...named, ...chosen }, { resources, registry, link: docker }, facts, {
          format,
        });
      },
    });
    return { ...status, release: releaseText(fit) };
  };
  return {
    'machine.get': () => machine({}),
    'machine.check': machine,
    'machine.gpus': () => readGpus(env),
  };
}

export function createPresetCalls(
  { presets, presetOf, options }: CoreParts,
  runs: Runs,
): Pick<Handlers, Extract<keyof Handlers, `presets.${string}`>> &
  Pick<TrustedCalls, 'spec.resolve' | 'runs.changedSpec'> {
  const resolveChoice: TrustedCalls['spec.resolve'] = async ({ preset, overrides }) => {
    const loaded = await presetOf({ preset, source: sourceOf(overrides['model']) });
    return resolveSpec(loaded.preset, overrides);
  };
  return {
    'spec.resolve': resolveChoice,
    'runs.changedSpec': async ({ runId, overrides }) => {
      const { source, preflight } = await runs.changeable(runId);
      const { spec } = source;
      const { model } = mergeTrees({ model: spec.model }, { model: overrides['model'] });
      requireSameModel(spec, { model: Object(model) as object });
      const { preset } = await presetOf(spec.model);
      return resolveChoice({
        preset: spec.model.preset,
        overrides: mergeTrees(
          // Chosen again, because another format may need another release.
          unsetAt(
            minimalOverrides(preset, spec),
            (preflight?.release ?? null) === null ? [] : ['engine', 'release'],
          ),
          overrides,
        ),
      });
    },
    ...createPresetReading(presets, options.resources),
    'presets.resolve': ({ preset, overrides }) =>
      Promise.resolve().then(() => resolveSpec(requirePreset(presets(), preset).preset, overrides)),
  };
}

type HostCall = Extract<keyof Handlers, `hosts.${string}`>;
type HostParts = Pick<CoreParts, 'hosts' | 'options'>;

/** Facts that are unknown on another machine. */
const unknownFacts = { disks: [], sharedMemoryBytes: null, memoryFreeBytes: 0, loadAverage: 0 } as const;
const noGpus = { driverVersion: null, cudaVersion: null, gpus: [], problem: null } as const;

/** Preflight for containers, with GPUs if the host has any. */
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

/** Throws while this home's containers run there, or if that is unknown. */
function requireUnused(status: HostStatus): void {
  const { name } = status;
  const unasked = (why: string, remedy: string) =>
    new WorkbenchError('host-unreachable', `The work on ${name} cannot be listed: ${why}`, {
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
