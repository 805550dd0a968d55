import type { Handlers } from '../contract/api';
import { toWire, type WireError } from '../contract/errors';
import { localHost } from '../contract/host/host-name';
import { type HostFit, onHost } from '../contract/host/spread';
import type { DockerEngineSpec, RunSpec } from '../contract/run/run-spec';
import { hostFit, type HostNeeds } from '../engine/docker/host-fit';
import { type HostFacts, readEngineMachine, releaseNeeds } from '../engine/docker/run-release';
import { readReleases } from '../machine/releases';
import type { Core } from './core-interface';
import type { CoreParts } from './core-parts';
import type { HostFactsOf } from './host-facts';

type Parts = Pick<CoreParts, 'engines' | 'hosts' | 'presetOf' | 'options'>;
type Check = Handlers['runs.check'];

const mebibyte = 2 ** 20;

const refused = (host: string, error: WireError): HostFit => ({
  host,
  fits: false,
  reason: error.message,
  error,
});

/** What it would be refused for now, by the look that each start takes. */
async function problemOf(check: Check, spec: RunSpec, skipPreflight: boolean): Promise<WireError | null> {
  const found = await check({ spec });
  const first = found.find(
    ({ severity, preflight = false }) => severity === 'problem' && !(skipPreflight && preflight),
  );
  if (first === undefined) return null;
  const { code, message, field: where, remedy } = first;
  return { code, message, where, ...(remedy === null ? {} : { remedy }) };
}

/** Which of several hosts fit a run in containers, each with the reason where it does not. */
export function createHostFits(parts: Parts, factsOf: HostFactsOf, check: Check): Core['hostFits'] {
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
  return (spec, hosts, { modelOfGpu, skipPreflight = false }) => {
    const { engine } = spec;
    if (engine.kind !== 'docker') return Promise.resolve([]);
    const fitOf = async (host: string): Promise<HostFit> => {
      const there = onHost(spec, engine, host);
      // Nothing leads to the ports of Triton there.
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
