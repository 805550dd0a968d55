import type { DockerFacts, GpuReport } from '../../contract/machine';
import type { DockerEngineSpec, Format, RunSpec } from '../../contract/run/run-spec';
import { imageFamily } from '../../contract/run/serving';
import type { DockerLink } from '../../docker/docker-link';
import { formatOf } from '../../formats/formats';
import { type FittingRelease, fittingRelease, type ReleaseNeeds } from '../../machine/fitting-release';
import { readGpus } from '../../machine/gpu-report';
import { remoteHost } from '../../machine/preflight-docker';
import { chosenDevices, gpusOfPlan } from '../../machine/preflight-gpu';
import { compareVersions, defaultRelease, readReleases, type Releases } from '../../machine/releases';
import { usualRelease } from './run-images';

/** What a preset and a format ask of the release of NVIDIA's images. Pure. */
export function releaseNeeds(
  engine: Pick<DockerEngineSpec, 'clientImage'>,
  format: Format | null,
  presetRelease: string = defaultRelease,
): ReleaseNeeds {
  const newest = format === null ? presetRelease : usualRelease(format, presetRelease);
  const isLast = format !== null && compareVersions(newest, presetRelease) < 0;
  return {
    newest,
    oldest: format === null ? undefined : formatOf(format).oldestNgcRelease,
    because: isLast
      ? `the last with a backend for ${formatOf(format).title}`
      : 'the newest that the workbench is prepared for',
    buildsClient: engine.clientImage === undefined,
  };
}

/** The release for a run in containers on these GPUs; null where NVIDIA's images are not used or no GPU is known. Pure. */
export function releaseFor(
  engine: DockerEngineSpec,
  needs: ReleaseNeeds,
  { gpus, releases }: { readonly gpus: GpuReport; readonly releases: Releases },
): FittingRelease | null {
  if (imageFamily(engine) === 'cpu' || engine.tritonImage !== undefined) return null;
  const used = gpusOfPlan({ gpus, plan: { gpuIds: engine.gpus } });
  if (used.length === 0) return null;
  return fittingRelease({ gpus: used, driver: gpus.driverVersion }, { releases, needs });
}

/** What is known of the machine of an engine that is not this one. */
export interface HostFacts {
  readonly docker: DockerFacts;
  /** null: not known. */
  readonly gpus: GpuReport | null;
}

export interface ReleasePlaces {
  readonly env: NodeJS.ProcessEnv;
  /** Of the host that the specification names; null: it names none. */
  readonly host: HostFacts | null;
  /** `resources` of the product. */
  readonly resources: string;
  readonly link: DockerLink;
}

interface EngineMachine {
  readonly docker: DockerFacts;
  /** This machine's where nothing is known of the other. */
  readonly gpus: GpuReport;
  /** The GPUs are those of the engine. */
  readonly isKnown: boolean;
}

/** The engine of a run and the GPUs that it has: a host's, or this machine's. */
export async function readEngineMachine({
  env,
  link,
  host,
}: Pick<ReleasePlaces, 'env' | 'link' | 'host'>): Promise<EngineMachine> {
  const [docker, gpus] = await Promise.all([host?.docker ?? link.facts(), host?.gpus ?? readGpus(env)]);
  return { docker, gpus, isKnown: host === null ? remoteHost(docker) === null : host.gpus !== null };
}

/** With the UUIDs of the idlest GPU, or of all, in their place, where they are known. */
function withGpus(engine: DockerEngineSpec, gpus: GpuReport): DockerEngineSpec {
  const devices = chosenDevices(engine.gpus, gpus);
  return devices === null ? engine : { ...engine, gpus: [...devices] };
}

/**
 * The specification with what is chosen at the start: the GPUs, and where it names no release the one that fits this
 * machine, or the usual one where nothing fits or nothing is known of the machine.
 */
export async function withRelease(
  spec: RunSpec,
  presetRelease: string | undefined,
  places: ReleasePlaces,
): Promise<RunSpec> {
  const { resources } = places;
  if (spec.engine.kind !== 'docker' || imageFamily(spec.engine) === 'cpu') return spec;
  const [{ gpus, isKnown }, releases] = await Promise.all([
    readEngineMachine(places),
    readReleases(resources),
  ]);
  const engine = isKnown ? withGpus(spec.engine, gpus) : spec.engine;
  if (engine.release !== undefined) return { ...spec, engine };
  const needs = releaseNeeds(engine, spec.format, presetRelease);
  const fit = isKnown ? releaseFor(engine, needs, { gpus, releases }) : null;
  return { ...spec, engine: { ...engine, release: fit?.kind === 'fits' ? fit.release : needs.newest } };
}
