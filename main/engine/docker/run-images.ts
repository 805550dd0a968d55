import type { BuiltImage } from '../../contract/docker';
import type { DockerFacts, GpuReport } from '../../contract/machine';
import { imageFamily } from '../../contract/run/engine-kinds';
import type { DockerEngineSpec, Format, Framework, RunSpec } from '../../contract/run/run-spec';
import type { DockerLink } from '../../docker/docker-link';
import { readImageRecipe } from '../../docker/images/known-images';
import type { ImageRequest } from '../../docker/images/prepare-image';
import { formatOf } from '../../formats/formats';
import { type FittingRelease, fittingRelease, type ReleaseNeeds } from '../../machine/fitting-release';
import { readGpus } from '../../machine/gpu-report';
import { remoteHost } from '../../machine/preflight-docker';
import { chosenDevices, gpusOfPlan } from '../../machine/preflight-gpu';
import {
  compareVersions,
  defaultRelease,
  ngcRegistry,
  readReleases,
  type Releases,
} from '../../machine/releases';

/** Requirements of preset and format on the release of NVIDIA's images. */
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

/** null if NVIDIA's images are not used, or no GPU is known. */
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

export interface HostFacts {
  readonly docker: DockerFacts;
  /** null: unknown. */
  readonly gpus: GpuReport | null;
}

export interface ReleasePlaces {
  readonly env: NodeJS.ProcessEnv;
  /** Facts about the specification's host; null without one. */
  readonly host: HostFacts | null;
  readonly resources: string;
  readonly link: DockerLink;
}

/** The engine and its GPUs: the host's, or this machine's. */
export async function readEngineMachine({ env, link, host }: Pick<ReleasePlaces, 'env' | 'link' | 'host'>) {
  const [docker, gpus] = await Promise.all([host?.docker ?? link.facts(), host?.gpus ?? readGpus(env)]);
  // False if this machine's GPUs stand in for unknown ones.
  return { docker, gpus, isKnown: host === null ? remoteHost(docker) === null : host.gpus !== null };
}

/** Replaces "idlest" and "all" by UUIDs, if GPUs are known. */
function withGpus(engine: DockerEngineSpec, gpus: GpuReport): DockerEngineSpec {
  const devices = chosenDevices(engine.gpus, gpus);
  return devices === null ? engine : { ...engine, gpus: [...devices] };
}

/** Adds GPUs, and unless named a release: one that fits the machine, else the default. */
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

/** Source of images that a run does not name. */
export interface ImageSource {
  readonly resources: string;
  /** NVIDIA's registry or a mirror. */
  readonly registry: string;
}

const ngcImages = (release: string, registry: string) => ({
  triton: `${registry}/tritonserver:${release}-py3`,
  sdk: `${registry}/tritonserver:${release}-py3-sdk`,
  pytorch: `${registry}/pytorch:${release}-py3`,
});

/** The release without a named one on an unknown machine. */
export function usualRelease(format: Format, newest: string = defaultRelease): string {
  const { oldestNgcRelease: first = newest, newestNgcRelease: last = newest } = formatOf(format);
  if (compareVersions(first, newest) > 0) return first;
  return compareVersions(last, newest) < 0 ? last : newest;
}

/** Base images of a built image; those for the CPU name their own. */
export function buildArgsOf(
  image: BuiltImage,
  release: string = defaultRelease,
  registry: string = ngcRegistry,
): Readonly<Record<string, string>> {
  if (image !== 'client-gpu') return {};
  const { pytorch, sdk } = ngcImages(release, registry);
  return { PYTORCH_IMAGE: pytorch, SDK_IMAGE: sdk };
}

/** Only TensorFlow changes the image; the others share one. */
const frameworkArgs = (framework: Framework | undefined): Readonly<Record<string, string>> =>
  framework === 'tf' ? { FRAMEWORK: 'tf' } : {};

/** The two images of a run. */
export async function wantedImages(
  engine: DockerEngineSpec,
  { resources, registry }: ImageSource,
  model: { readonly framework: Framework; readonly format: Format } = { framework: 'pyt', format: 'onnx' },
): Promise<Readonly<Record<ImageRequest['role'], ImageRequest>>> {
  const release = engine.release ?? usualRelease(model.format);
  const ngc = imageFamily(engine) === 'ngc' ? ngcImages(release, registry) : null;
  const given = (role: ImageRequest['role'], reference: string): ImageRequest => ({
    role,
    reference,
    recipe: null,
  });
  const built = async (
    role: ImageRequest['role'],
    image: BuiltImage,
    args: Readonly<Record<string, string>>,
  ): Promise<ImageRequest> => {
    const recipe = await readImageRecipe(resources, image, args);
    return { role, reference: recipe.reference, recipe };
  };
  const { tritonImage = ngc?.triton, clientImage } = engine;
  const clientArgs = frameworkArgs(model.framework);
  const triton =
    tritonImage === undefined
      ? await built('triton', 'triton-cpu', frameworkArgs(formatOf(model.format).shimFramework))
      : given('triton', tritonImage);
  const ngcArgs = ngc === null ? {} : buildArgsOf('client-gpu', release, registry);
  const client =
    clientImage === undefined
      ? await built('client', ngc === null ? 'client-cpu' : 'client-gpu', { ...ngcArgs, ...clientArgs })
      : given('client', clientImage);
  return { triton, client };
}

export const imageNamesOf = ({
  triton,
  client,
}: Awaited<ReturnType<typeof wantedImages>>): readonly string[] => [triton.reference, client.reference];
