import { WorkbenchError } from '../../contract/errors';
import type { PerformanceSpec } from '../../contract/run/run-spec';
import { ask, type DockerClient } from '../../docker/client';
import { compareVersions, releaseOf } from '../../machine/releases';
import { traceOption } from '../server-traces';

export const containerPorts = { http: 8000, grpc: 8001, metrics: 8002 } as const;

interface TritonCommandInput {
  /** Built here from the PyPI wheel, whose backends are in another folder. */
  readonly builtHere: boolean;
  readonly gpus: boolean;
  /** Release of NVIDIA's image; null or absent: unknown. */
  readonly release?: string | null;
  /** Allow client shared memory; see `allowsClientSharedMemory`. */
  readonly clientSharedMemory?: boolean;
  /** See `StartServerInput.asIs`. */
  readonly asIs?: boolean | undefined;
  /** Load every model at startup, as after a reboot. */
  readonly loadAll?: boolean;
  /** In the container, if the release knows the option. */
  readonly traceFile?: string;
}

/** First release whose Triton accepts `*` for all models (core, model_repository_manager.cc). */
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

/** First release with --disable-auto-complete-config. */
const firstWithoutCompletion = '22.07';

/** Auto-completion would enable dynamic batching where the configuration has none. */
const completesNothing = ({ builtHere, release = null, asIs = false }: TritonCommandInput): boolean =>
  !asIs && (builtHere || (release !== null && compareVersions(release, firstWithoutCompletion) >= 0));

/** First release with --trace-config (server 2.33, command_line_parser.cc). */
const firstToTrace = '23.04';

/** An unknown release may exit on an unknown option. */
export const canTrace = (builtHere: boolean, release: string | null): boolean =>
  builtHere || (release !== null && compareVersions(release, firstToTrace) >= 0);

function traceOptions({ builtHere, release = null, traceFile }: TritonCommandInput): readonly string[] {
  return traceFile !== undefined && canTrace(builtHere, release) ? [traceOption(traceFile)] : [];
}

/** Listens on all addresses of the container, which its network isolates. Throws combination-unsupported. */
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
    // config.pbtxt is complete as written.
    ...(completesNothing(input) ? ['--disable-auto-complete-config'] : []),
    ...(input.gpus ? [] : ['--allow-gpu-metrics=false']),
    ...(input.clientSharedMemory === true ? ['--allow-client-shm=true'] : []),
    ...traceOptions(input),
    ...(input.loadAll === true ? ['--load-model=*'] : []),
    '--exit-timeout-secs=5',
  ];
}

/** First release that refuses client shared memory by default; older ones do not know the flag. */
const firstToRefuse = '26.04';
const releaseVariable = 'NVIDIA_TRITON_SERVER_VERSION=';

/**
 * The release from the environment of NVIDIA's images and derived ones, or else from the image's name; null if neither
 * has it. @param env null in the answers of some engines, whatever the types say.
 */
export function imageRelease(env: readonly string[] | null, reference: string): string | null {
  const said = env?.find((entry) => entry.startsWith(releaseVariable))?.slice(releaseVariable.length) ?? '';
  return /^\d\d\.\d\d/.exec(said)?.[0] ?? releaseOf(reference);
}

/** Whether to pass the flag for the run's shared memory. An unknown release may exit on an unknown flag. */
export function allowsClientSharedMemory(
  sharedMemory: PerformanceSpec['sharedMemory'],
  release: string | null,
): boolean {
  return sharedMemory !== 'none' && release !== null && compareVersions(release, firstToRefuse) >= 0;
}

const has = (release: string, first: string): boolean => compareVersions(release, first) >= 0;

/** Flags that are gone or needed in another release, a clause each. */
export const flagChanges = (from: string, to: string): readonly string[] => [
  ...(has(from, firstWithoutCompletion) && !has(to, firstWithoutCompletion)
    ? [`Release ${to} has no --disable-auto-complete-config, and completes configurations automatically`]
    : []),
  ...(has(from, firstToLoadAll) && !has(to, firstToLoadAll)
    ? [`Release ${to} does not support --load-model=*, which deployments need`]
    : []),
  ...(!has(from, firstToRefuse) && has(to, firstToRefuse)
    ? [
        `From release ${firstToRefuse} on, Triton refuses shared memory of clients without --allow-client-shm=true`,
      ]
    : []),
];

/** TensorRT version of NVIDIA's images and derived ones: "10.4.0.26", without a CUDA suffix. */
const tensorRtOf = (env: readonly string[] | null): string | null =>
  /^[\d.]+/.exec(
    env?.find((entry) => entry.startsWith('TRT_VERSION='))?.slice('TRT_VERSION='.length) ?? '',
  )?.[0] ?? null;

interface EngineImage {
  readonly id: string;
  readonly reference: string;
}

/** Plans load only in their TensorRT version. null: an image does not state it. Throws combination-unsupported. */
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

/** Compares two images of the engine. Throws combination-unsupported, image-missing, docker-unreachable. */
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

/** null if the image is missing or does not state it. */
export async function readImageTensorRt(client: DockerClient, reference: string): Promise<string | null> {
  return configOf(client, { id: reference, reference }).then(
    ({ Env }) => tensorRtOf(Env),
    () => null,
  );
}

export interface ImageFacts {
  /** NVIDIA's release; null: unknown. */
  readonly release: string | null;
  /** Programs must start through the entrypoint. */
  readonly keepsEntrypoint: boolean;
}

/**
 * NVIDIA's entrypoint puts the image's CUDA compatibility libraries before an older driver's. Nothing else enables
 * forward compatibility: neither the loader nor the NVIDIA Container Toolkit searches their folder. Source: server,
 * build.py ("CUDA Compat lib").
 */
const startsPrograms = (entrypoint: string | readonly string[] | null | undefined): boolean =>
  [entrypoint ?? []].flat().some((word) => word.endsWith('/nvidia_entrypoint.sh'));

/** Throws image-missing, docker-unreachable. */
export async function readImageFacts(client: DockerClient, image: EngineImage): Promise<ImageFacts> {
  const { Env, Entrypoint } = await configOf(client, image);
  return { release: imageRelease(Env, image.reference), keepsEntrypoint: startsPrograms(Entrypoint) };
}

/** Facts from the image's name alone. */
export function namedImageFacts(reference: string): ImageFacts {
  const release = imageRelease(null, reference);
  return { release, keepsEntrypoint: release !== null };
}
