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

/** NVIDIA's first release that can be told to add nothing to a configuration; older ones do not know the flag. */
const firstWithoutCompletion = '22.07';

/** Left to itself, a backend turns dynamic batching on where the configuration has none. */
const completesNothing = ({ builtHere, release = null }: TritonCommandInput): boolean =>
  builtHere || (release !== null && compareVersions(release, firstWithoutCompletion) >= 0);

/** Triton on the repository at `/models`. It listens on all addresses of the container, as ports are published to them; its network lets nothing else in. */
export function tritonCommand(input: TritonCommandInput): [string, ...string[]] {
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

const environmentOf = async (client: DockerClient, { id }: EngineImage): Promise<readonly string[] | null> =>
  (
    await ask('look at the image', (abortSignal) =>
      client.docker.getImage(id).inspect({ abortSignal } as object),
    )
  ).Config.Env;

/** The same of two images that the engine has. Throws combination-unsupported, image-missing, docker-unreachable. */
export async function readPlanTensorRt(
  client: DockerClient,
  images: { readonly triton: EngineImage; readonly client: EngineImage },
): Promise<string | null> {
  const [triton, builder] = await Promise.all(
    [images.triton, images.client].map(async (image) => ({
      reference: image.reference,
      env: await environmentOf(client, image),
    })),
  );
  return triton === undefined || builder === undefined ? null : planTensorRt(triton, builder);
}

/** The release of an image that the engine has. Throws image-missing, docker-unreachable. */
export async function readImageRelease(client: DockerClient, image: EngineImage): Promise<string | null> {
  return imageRelease(await environmentOf(client, image), image.reference);
}
