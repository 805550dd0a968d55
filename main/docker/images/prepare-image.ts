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
  /** Build recipe; null: pulled from a registry. */
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

/** Reports a moved tag. */
async function noted(known: KnownImages, image: UsedImage, listener: PrepareListener): Promise<UsedImage> {
  const movedFrom = await known.note(image);
  if (movedFrom === null) return image;
  listener.log([`${image.reference} is not the same image as at its last use: it was ${movedFrom}`]);
  return { ...image, movedFrom };
}

/** Throws image-build-failed, image-pull-failed, image-missing, registry-denied, cancelled, docker-unreachable. */
export async function prepareImage(
  options: PrepareImageOptions,
  client: DockerClient,
  request: ImageRequest,
  listener: PrepareListener,
): Promise<UsedImage> {
  const there = await find(client, request);
  const { recipe, reference } = request;
  // Built tags are content hashes and cannot move.
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
  /** Current connection and architecture ("amd64"). Throws docker-unreachable and others. */
  readonly engine: () => Promise<{ readonly docker: Docker; readonly architecture: string }>;
  readonly layout: HomeLayout;
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
  readonly auths: RegistryAuths;
  readonly emit: (work: ImageWork) => void;
}

export interface ImageWorks {
  /** Returns the work's id; an active one for the same reference is shared. */
  pull(reference: string): string;
  build(image: BuiltImage, buildArgs?: ImageBuildArgs): Promise<string>;
  /** No-op for ended or unknown works. */
  cancel(workId: string): void;
  /** Newest first, including the last 20 ended ones. */
  list(): readonly ImageWork[];
  /** Resolves at the end. Throws input-invalid for unknown ids. */
  ended(workId: string): Promise<ImageWork>;
  stop(): Promise<void>;
}

type WorkFacts = Pick<ImageWork, 'kind' | 'image' | 'lines'>;

/** One pull or build per image at a time. */
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
