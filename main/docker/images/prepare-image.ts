import type Docker from 'dockerode';
import type { BuiltImage, ImageWork } from '../../contract/docker';
import { WorkbenchError } from '../../contract/errors';
import type { UsedImage } from '../../contract/measured/results';
import type { HomeLayout } from '../../platform/layout';
import { Works } from '../../platform/works';
import { ask, type DockerClient } from '../client';
import { type ImageReporter, makeImage, type MakeImageOptions } from './build-image';
import {
  type ImageBuildArgs,
  type ImageRecipe,
  type KnownImages,
  readImageRecipe,
  type WorkProgress,
} from './known-images';
import { pullImage } from './pull-image';
import { digestOf, formatImageReference, parseImageReference, type RegistryAuths } from './registry';

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
  const noteIfPulled = (image: UsedImage) =>
    recipe === null ? noted(options.known, image, listener) : image;
  if (there !== null) return noteIfPulled(there);
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
  return noteIfPulled(made);
}

const keptLines = 200;

interface ImageWorksOptions {
  /** The engine as it is connected now, and its processor: "amd64". Throws docker-unreachable and the like. */
  readonly engine: () => Promise<{ readonly docker: Docker; readonly architecture: string }>;
  readonly layout: HomeLayout;
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
  readonly auths: RegistryAuths;
  readonly emit: (work: ImageWork) => void;
}

export interface ImageWorks {
  /** Starts and gives the work's id; of the one under way where the reference is being worked on already. */
  pull(reference: string): string;
  build(image: BuiltImage, buildArgs?: ImageBuildArgs): Promise<string>;
  /** Nothing for a work that has ended or is not known. */
  cancel(workId: string): void;
  /** Newest first, the last 20 that ended among them. */
  list(): readonly ImageWork[];
  /** The work when it has ended, well or not. Throws input-invalid for an id that is not known. */
  ended(workId: string): Promise<ImageWork>;
  /** Cancels all and waits for their end. */
  stop(): Promise<void>;
}

type WorkFacts = Pick<ImageWork, 'kind' | 'image' | 'lines'>;

/** Pulls and builds under way, one at a time for each image. */
export function createImageWorks(options: ImageWorksOptions): ImageWorks {
  const works = new Works<WorkFacts>('pull or build', options.emit);
  const start = (
    kind: ImageWork['kind'],
    image: string,
    run: (reporter: ImageReporter) => Promise<void>,
  ): string =>
    works.start(image, { kind, image, lines: [] }, async ({ signal, change }) => {
      const lines: string[] = [];
      await run({
        signal,
        onLine: (line) => {
          lines.push(line);
          if (lines.length > keptLines) lines.shift();
          change({ lines: [...lines] });
        },
        onProgress: ({ fraction, text }) => change({ fraction, text }),
      });
      return { text: kind === 'pull' ? 'Pulled' : 'Built' };
    });

  return {
    pull(text) {
      const reference = formatImageReference(parseImageReference(text));
      return start('pull', reference, async (reporter) => {
        const { docker } = await options.engine();
        const auth = await options.auths.authFor(reference);
        await pullImage(docker, reference, { auth, ...reporter });
      });
    },
    async build(image, buildArgs) {
      const recipe = await readImageRecipe(options.resources, image, buildArgs);
      return start('build', recipe.reference, async (reporter) =>
        makeImage(options, { ...(await options.engine()), recipe, ...reporter }),
      );
    },
    cancel: (workId) => works.cancel(workId),
    list: () => works.list(),
    ended: (workId) => works.ended(workId),
    stop: () => works.close(),
  };
}
