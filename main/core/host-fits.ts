import type { Handlers } from '../contract/api';
import { toWire, type WireError } from '../contract/errors';
import { localHost } from '../contract/host/host-name';
import { type HostFit, onHost } from '../contract/host/host-text';
import { inContainers } from '../contract/run/engine-kinds';
import type { DockerEngineSpec, RunSpec } from '../contract/run/run-spec';
import { problemError } from '../contract/run/spec-tools';
import { type HostFacts, readEngineMachine, releaseNeeds } from '../engine/docker/run-images';
import { hostFit, type HostNeeds } from '../engine/docker-over-ssh/host-reach';
import { readReleases } from '../machine/releases';
import type { TrustedCalls } from './core-interface';
import type { CoreParts } from './core-parts';

type Parts = Pick<CoreParts, 'engines' | 'hosts' | 'presetOf' | 'options'>;
type Check = Handlers['runs.check'];

const mebibyte = 2 ** 20;

const refused = (host: string, error: WireError): HostFit => ({
  host,
  fits: false,
  reason: error.message,
  error,
});

/** The error that a start on it would raise. */
async function problemOf(check: Check, spec: RunSpec, skipPreflight: boolean): Promise<WireError | null> {
  const found = await check({ spec });
  const first = found.find(
    ({ severity, preflight = false }) => severity === 'problem' && !(skipPreflight && preflight),
  );
  return first === undefined ? null : problemError(first);
}

/** null without a host. Throws host-unknown. */
type HostFactsOf = (spec: Pick<RunSpec, 'engine'>) => Promise<HostFacts | null>;

/** Facts are cached for this long. */
const hostFactsMs = 10_000;

interface Asked {
  readonly facts: Promise<HostFacts>;
  /** null while pending: an unreachable host is waited for until its timeout. */
  answeredMs: number | null;
}

/** Shares one request per host between a start, the form and the runs of a matrix. */
export function createHostFacts({ hosts }: Pick<CoreParts, 'hosts'>): HostFactsOf {
  const asked = new Map<string, Asked>();
  // An unreachable host is reported by its engine.
  const ask = async (name: string): Promise<HostFacts> => {
    const status = await hosts.status(await hosts.get(name));
    if (!status.reachable) return { docker: await (await hosts.link(name)).facts(), gpus: null };
    const { docker, gpus, diskFreeBytes } = status;
    return { gpus, docker: docker.reachable ? { ...docker, rootFreeBytes: diskFreeBytes } : docker };
  };
  return async ({ engine }) => {
    if (!inContainers(engine) || engine.host === undefined) return null;
    const { host } = engine;
    const known = asked.get(host);
    const isFresh = (one: Asked): boolean =>
      one.answeredMs === null || performance.now() - one.answeredMs < hostFactsMs;
    if (known !== undefined && isFresh(known)) return known.facts;
    const facts = ask(host);
    const own: Asked = { facts, answeredMs: null };
    asked.set(host, own);
    try {
      return await facts;
    } finally {
      own.answeredMs = performance.now();
    }
  };
}

/** For a run in containers; says why a host does not fit. */
export function createHostFits(parts: Parts, factsOf: HostFactsOf, check: Check): TrustedCalls['hosts.fit'] {
  const { resources, env } = parts.options;
  const machineOf = async (spec: RunSpec): Promise<HostFacts> => {
    const host = await factsOf(spec);
    if (host !== null) return host;
    const { docker, gpus, isKnown } = await readEngineMachine({
      ...{ env, host },
      link: await parts.engines.linkOf(spec.engine),
    });
    return { docker, gpus: isKnown ? gpus : null };
  };
  const needsOf = async (
    spec: RunSpec & { engine: DockerEngineSpec },
    { modelOfGpu, skipPreflight }: { readonly modelOfGpu: boolean; readonly skipPreflight: boolean },
  ): Promise<HostNeeds> => {
    const { engine, format, targetGpu = null } = spec;
    const { preset } = await parts.presetOf(spec.model);
    const releases = await readReleases(resources);
    return {
      engine,
      targetGpu: modelOfGpu ? targetGpu : null,
      gpuMemoryBytes: preset.gpuMemoryMiB === undefined ? null : preset.gpuMemoryMiB * mebibyte,
      release: skipPreflight ? null : { needs: releaseNeeds(engine, format, preset.ngcRelease), releases },
    };
  };
  return ({ spec, hosts, modelOfGpu, skipPreflight = false }) => {
    const { engine } = spec;
    if (!inContainers(engine)) return Promise.resolve([]);
    const fitOf = async (host: string): Promise<HostFit> => {
      const there = onHost(spec, engine, host);
      // Without ssh, Triton's ports there are unreachable.
      if (host !== localHost && (await parts.hosts.ssh(host)) === null) {
        return { host, fits: false, reason: 'It is not reached by ssh', error: null };
      }
      const facts = await machineOf(there);
      if (!facts.docker.reachable) {
        const code = facts.docker.reason === 'permission' ? 'docker-permission' : 'docker-unreachable';
        const remedy =
          host === localHost ? undefined : `Check it with "triton-workbench hosts check ${host}".`;
        const { message } = facts.docker;
        return refused(host, {
          code,
          message,
          where: 'engine.host',
          ...(remedy === undefined ? {} : { remedy }),
        });
      }
      const fit = hostFit(await needsOf(there, { modelOfGpu, skipPreflight }), facts);
      if (fit.misfit !== null) return { host, fits: false, reason: fit.misfit, error: null };
      const { gpus } = fit;
      const asked = gpus === null ? there : { ...there, engine: { ...there.engine, gpus: [...gpus] } };
      const problem = await problemOf(check, asked, skipPreflight);
      return problem === null ? { host, fits: true, gpus } : refused(host, problem);
    };
    return Promise.all(
      hosts.map((host) => fitOf(host).catch((error: unknown) => refused(host, toWire(error)))),
    );
  };
}
