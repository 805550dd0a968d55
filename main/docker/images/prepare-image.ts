import { WorkbenchError } from '../../contract/errors';
import type { UsedImage } from '../../contract/measured/results';
import { ask, type DockerClient } from '../client';
import { makeImage, type MakeImageOptions } from './build-image';
import type { RegistryAuths } from './docker-config';
import type { ImageRecipe, WorkProgress } from './image-recipe';
import { digestOf } from './image-reference';
import type { KnownImages } from './known-images';
import { pullImage } from './pull-image';

interface PrepareImageOptions extends MakeImageOptions {
  readonly auths: RegistryAuths;
  readonly known: KnownImages;
}

export interface ImageRequest {
  readonly role: UsedImage['role'];
  readonly reference: string;
  /** How it is made; null: it comes from a registry. */
  readonly recipe: ImageRecipe | null;
}

interface PrepareListener {
  readonly signal: AbortSignal;
  readonly log: (lines: readonly string[]) => void;
  readonly progress: (fraction: number | null, text: string) => void;
}

async function find(client: DockerClient, request: ImageRequest): Promise<UsedImage | null> {
  try {
    const found = await ask('look for the image', (abortSignal) =>
      client.docker.getImage(request.reference).inspect({ abortSignal } as object),
    );
    const digest = digestOf(request.reference, found.RepoDigests);
    return { role: request.role, reference: request.reference, id: found.Id, digest };
  } catch (error) {
    if (error instanceof WorkbenchError && error.code === 'image-missing') return null;
    throw error;
  }
}

export async function imageIsThere(client: DockerClient, reference: string): Promise<boolean> {
  return (await find(client, { role: 'triton', reference, recipe: null })) !== null;
}

/** Says where the tag of an image means another one than when this home last used it. */
async function noted(known: KnownImages, image: UsedImage, listener: PrepareListener): Promise<UsedImage> {
  const movedFrom = await known.note(image);
  if (movedFrom === null) return image;
  listener.log([`${image.reference} is not the same image as at its last use: it was ${movedFrom}`]);
  return { ...image, movedFrom };
}

/**
 * Makes sure that an image is on the engine: built when it has a recipe, else pulled.
 * Throws image-build-failed, image-pull-failed, image-missing, registry-denied, cancelled, docker-unreachable.
 */
export async function prepareImage(
  options: PrepareImageOptions,
  client: DockerClient,
  request: ImageRequest,
  listener: PrepareListener,
): Promise<UsedImage> {
  const there = await find(client, request);
  const { recipe, reference } = request;
  // A tag of what is built here is the hash of its recipe.
  const told = (image: UsedImage) => (recipe === null ? noted(options.known, image, listener) : image);
  if (there !== null) return told(there);
  const onProgress = (progress: WorkProgress) => {
    listener.progress(progress.fraction, `${reference}: ${progress.text}`);
  };
  const onLine = (line: string) => {
    listener.log([line]);
  };
  if (recipe === null) {
    onLine(`Pulling ${reference}`);
    await pullImage(client.docker, reference, {
      auth: await options.auths.authFor(reference),
      signal: listener.signal,
      onProgress,
      onLine,
    });
  } else {
    onLine(`Building ${reference} from resources/docker`);
    const { docker, architecture } = client;
    const { signal } = listener;
    await makeImage(options, { docker, architecture, recipe, signal, onLine, onProgress });
  }
  const made = await find(client, request);
  if (made === null) throw new WorkbenchError('image-missing', `${reference} is still missing`);
  return told(made);
}
