import type { PerformanceSpec } from '../../contract/run-spec';
import type { DockerClient } from '../../docker/client';
import { ask } from '../../docker/client';
import { releaseOf } from '../../machine/releases';
import { compareVersions } from '../../machine/versions';

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

/** The release of an image that the engine has. Throws image-missing, docker-unreachable. */
export async function readImageRelease(
  client: DockerClient,
  image: { readonly id: string; readonly reference: string },
): Promise<string | null> {
  const { Config } = await ask('look at the image', (abortSignal) =>
    client.docker.getImage(image.id).inspect({ abortSignal } as object),
  );
  return imageRelease(Config.Env, image.reference);
}
