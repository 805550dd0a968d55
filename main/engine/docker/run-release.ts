import type { GpuReport } from '../../contract/machine';
import type { DockerEngineSpec, Format, RunSpec } from '../../contract/run/run-spec';
import { imageFamily } from '../../contract/run/serving';
import type { DockerLink } from '../../docker/docker-link';
import { formatOf } from '../../formats/formats';
import { type FittingRelease, fittingRelease, type ReleaseNeeds } from '../../machine/fitting-release';
import { readGpus } from '../../machine/gpu-report';
import { remoteHost } from '../../machine/preflight-docker';
import { gpusOfPlan, idlestDevice } from '../../machine/preflight-gpu';
import { defaultRelease, readReleases, type Releases } from '../../machine/releases';
import { usualRelease } from './run-images';

/** What a preset and a format ask of the release of NVIDIA's images. Pure. */
export function releaseNeeds(
  engine: Pick<DockerEngineSpec, 'clientImage'>,
  format: Format | null,
  presetRelease: string = defaultRelease,
): ReleaseNeeds {
  const newest = format === null ? presetRelease : usualRelease(format, presetRelease);
  const isLast = format !== null && newest !== presetRelease;
  return {
    newest,
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

export interface ReleasePlaces {
  readonly env: NodeJS.ProcessEnv;
  /** `resources` of the product. */
  readonly resources: string;
  readonly link: DockerLink;
}

/** {@link releaseFor} on this machine; null also for a Docker Engine on another one. */
export async function releaseHere(
  engine: DockerEngineSpec,
  needs: ReleaseNeeds,
  { env, resources, link }: ReleasePlaces,
): Promise<FittingRelease | null> {
  if (imageFamily(engine) === 'cpu' || engine.tritonImage !== undefined) return null;
  const [gpus, releases, docker] = await Promise.all([readGpus(env), readReleases(resources), link.facts()]);
  return remoteHost(docker) === null ? releaseFor(engine, needs, { gpus, releases }) : null;
}

export interface SpecRelease {
  /** With the release of its images where it uses NVIDIA's. */
  readonly spec: RunSpec;
  /** What fits this machine; null where nothing is known of it, or of a release that somebody named. */
  readonly fit: FittingRelease | null;
}

/** With the UUID of the idlest GPU of this machine in its place, where one is known. */
async function withGpu(engine: DockerEngineSpec, { env, link }: ReleasePlaces): Promise<DockerEngineSpec> {
  if (!engine.gpus.includes('idlest') || remoteHost(await link.facts()) !== null) return engine;
  const device = idlestDevice(await readGpus(env));
  return device === null ? engine : { ...engine, gpus: [device] };
}

/**
 * The specification with the GPU that is chosen at the start and the release that fits this machine where it names none, or with the usual one where nothing is
 * known of the machine or nothing fits.
 */
export async function withRelease(
  spec: RunSpec,
  presetRelease: string | undefined,
  places: ReleasePlaces,
): Promise<SpecRelease> {
  const { format } = spec;
  if (spec.engine.kind !== 'docker' || imageFamily(spec.engine) === 'cpu') return { spec, fit: null };
  const engine = await withGpu(spec.engine, places);
  const needs = releaseNeeds(engine, format, presetRelease);
  const fit = await releaseHere(engine, needs, places);
  if (engine.release !== undefined) {
    const isIt = fit?.kind === 'fits' && fit.release === engine.release;
    return { spec: { ...spec, engine }, fit: isIt ? fit : null };
  }
  const release = fit?.kind === 'fits' ? fit.release : needs.newest;
  return { spec: { ...spec, engine: { ...engine, release } }, fit };
}
