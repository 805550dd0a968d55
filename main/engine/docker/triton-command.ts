import { WorkbenchError } from '../../contract/errors';
import type { PerformanceSpec } from '../../contract/run/run-spec';
import { ask, type DockerClient } from '../../docker/client';
import { compareVersions, releaseOf } from '../../machine/releases';

/** Inside the container: the ports that Triton has by default. */
export const containerPorts = { http: 8000, grpc: 8001, metrics: 8002 } as const;

interface TritonCommandInput {
  /** The image was built here from the PyPI wheel: its backends lie elsewhere. */
  readonly builtHere: boolean;
  readonly gpus: boolean;
  /** The release of NVIDIA's image; null or absent: unknown. */
  readonly release?: string | null;
  /** Triton is to be told that it may take memory of its clients; see `allowsClientSharedMemory`. */
  readonly clientSharedMemory?: boolean;
  /** Every model of the repository is loaded at the start, as after a restart of the machine. */
  readonly loadAll?: boolean;
}

/** NVIDIA's first release whose Triton takes `*` for every model of the repository (core, model_repository_manager.cc). */
const firstToLoadAll = '22.05';

function checkLoadsAll({ builtHere, release = null, loadAll = false }: TritonCommandInput): void {
  if (!loadAll || builtHere || release === null || compareVersions(release, firstToLoadAll) >= 0) return;
  throw new WorkbenchError(
    'combination-unsupported',
    `Triton of release ${release} cannot load every model of its repository when it starts`,
    {
      where: `Release ${release}`,
      remedy: `Repeat the run with release ${firstToLoadAll} or later (--release), then deploy or bundle that run.`,
    },
  );
}

/** NVIDIA's first release that can be told to add nothing to a configuration; older ones do not know the flag. */
const firstWithoutCompletion = '22.07';

/** Left to itself, a backend turns dynamic batching on where the configuration has none. */
const completesNothing = ({ builtHere, release = null }: TritonCommandInput): boolean =>
  builtHere || (release !== null && compareVersions(release, firstWithoutCompletion) >= 0);

/** Triton on the repository at `/models`. It listens on all addresses of the container, as ports are published to them; its network lets nothing else in. Throws combination-unsupported. */
export function tritonCommand(input: TritonCommandInput): [string, ...string[]] {
  checkLoadsAll(input);
  return [
    'tritonserver',
    '--model-repository=/models',
    '--model-control-mode=explicit',
    '--http-address=0.0.0.0',
    `--http-port=${containerPorts.http}`,
    '--grpc-address=0.0.0.0',
    `--grpc-port=${containerPorts.grpc}`,
    `--metrics-port=${containerPorts.metrics}`,
    ...(input.builtHere ? ['--backend-directory=/opt/workbench/triton/backends'] : []),
    // The configuration is written whole: nothing is to be added to it.
    ...(completesNothing(input) ? ['--disable-auto-complete-config'] : []),
    ...(input.gpus ? [] : ['--allow-gpu-metrics=false']),
    ...(input.clientSharedMemory === true ? ['--allow-client-shm=true'] : []),
    ...(input.loadAll === true ? ['--load-model=*'] : []),
    '--exit-timeout-secs=5',
  ];
}

/** NVIDIA's first release whose Triton takes no memory of its clients unless told to; older ones do not know the flag. */
const firstToRefuse = '26.04';
const releaseVariable = 'NVIDIA_TRITON_SERVER_VERSION=';

/**
 * The release of a Triton image: what NVIDIA's images, and those built on them, say of themselves, else what the name
 * says; null where neither does. Pure. @param env null in the answers of some engines, whatever the types say.
 */
export function imageRelease(env: readonly string[] | null, reference: string): string | null {
  const said = env?.find((entry) => entry.startsWith(releaseVariable))?.slice(releaseVariable.length) ?? '';
  return /^\d\d\.\d\d/.exec(said)?.[0] ?? releaseOf(reference);
}

/**
 * Whether Triton of that release is to be told that it may take what the run passes tensors through. One of an unknown
 * release is not told: it might end at a flag that it does not know. Pure.
 */
export function allowsClientSharedMemory(
  sharedMemory: PerformanceSpec['sharedMemory'],
  release: string | null,
): boolean {
  return sharedMemory !== 'none' && release !== null && compareVersions(release, firstToRefuse) >= 0;
}

/** What NVIDIA's images, and those built on them, say of their TensorRT: "10.4.0.26", without the CUDA that may follow. */
const tensorRtOf = (env: readonly string[] | null): string | null =>
  /^[\d.]+/.exec(
    env?.find((entry) => entry.startsWith('TRT_VERSION='))?.slice('TRT_VERSION='.length) ?? '',
  )?.[0] ?? null;

interface EngineImage {
  readonly id: string;
  readonly reference: string;
}

/**
 * Before a plan is built: the TensorRT of the image that builds it must be the server's, as a plan loads in no other
 * version. Gives that version; null where an image does not say it. Throws combination-unsupported.
 */
export function planTensorRt(
  triton: { readonly reference: string; readonly env: readonly string[] | null },
  client: { readonly reference: string; readonly env: readonly string[] | null },
): string | null {
  const [serves, builds] = [tensorRtOf(triton.env), tensorRtOf(client.env)];
  if (serves === null || builds === null || serves === builds) return serves === null ? null : builds;
  throw new WorkbenchError(
    'combination-unsupported',
    `The client image has TensorRT ${builds} and the Triton image has TensorRT ${serves}: a plan loads only in the version that built it`,
    {
      where: `${client.reference}, ${triton.reference}`,
      remedy:
        'Choose another release (--release) whose two images have the same TensorRT, or the format ONNX with the backend accelerator "trt", which builds its engine in Triton.',
    },
  );
}

const configOf = async (client: DockerClient, { id }: EngineImage) =>
  (
    await ask('look at the image', (abortSignal) =>
      client.docker.getImage(id).inspect({ abortSignal } as object),
    )
  ).Config;

/** The same of two images that the engine has. Throws combination-unsupported, image-missing, docker-unreachable. */
export async function readPlanTensorRt(
  client: DockerClient,
  images: { readonly triton: EngineImage; readonly client: EngineImage },
): Promise<string | null> {
  const [triton, builder] = await Promise.all(
    [images.triton, images.client].map(async (image) => ({
      reference: image.reference,
      env: (await configOf(client, image)).Env,
    })),
  );
  return triton === undefined || builder === undefined ? null : planTensorRt(triton, builder);
}

/** TensorRT of an image by what it says of itself; null where it does not, or is not there. */
export async function readImageTensorRt(client: DockerClient, reference: string): Promise<string | null> {
  return configOf(client, { id: reference, reference }).then(
    ({ Env }) => tensorRtOf(Env),
    () => null,
  );
}

export interface ImageFacts {
  /** NVIDIA's; null: unknown. */
  readonly release: string | null;
  /** Programs are started through the image's entrypoint. */
  readonly keepsEntrypoint: boolean;
}

/**
 * NVIDIA's images, and those built on them, start programs through a script that puts the image's own CUDA libraries
 * before the driver's where the driver is older: forward compatibility is on by nothing else, as the folder of these
 * libraries is none that the loader or the NVIDIA Container Toolkit looks into. Source: server, build.py ("CUDA Compat lib").
 */
const startsPrograms = (entrypoint: string | readonly string[] | null | undefined): boolean =>
  [entrypoint ?? []].flat().some((word) => word.endsWith('/nvidia_entrypoint.sh'));

/** An image that the engine has. Throws image-missing, docker-unreachable. */
export async function readImageFacts(client: DockerClient, image: EngineImage): Promise<ImageFacts> {
  const { Env, Entrypoint } = await configOf(client, image);
  return { release: imageRelease(Env, image.reference), keepsEntrypoint: startsPrograms(Entrypoint) };
}

/** What the name of an image says, where no engine has it. */
export function namedImageFacts(reference: string): ImageFacts {
  const release = imageRelease(null, reference);
  return { release, keepsEntrypoint: release !== null };
}
