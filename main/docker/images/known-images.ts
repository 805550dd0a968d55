import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { z } from 'zod';
import type { BuiltImage, ImageInfo } from '../../contract/docker';
import { WorkbenchError } from '../../contract/errors';
import type { UsedImage } from '../../contract/measured/results';
import { writeFileAtomic } from '../../platform/files';
import { jsonOrNull } from '../../platform/parse-json';
import { readBoundedFile } from '../../platform/plain-entry';
import { ask } from '../client';

/** Requirement files that each image is made from, in `resources/requirements`. */
const requirementFiles: Readonly<Record<BuiltImage, readonly string[]>> = {
  'triton-cpu': ['perf-analyzer.txt', 'runtime.txt'],
  'client-cpu': ['perf-analyzer.txt', 'runtime.txt'],
  'client-gpu': ['client-gpu.txt'],
};

/** Requirement files of an image that is built with FRAMEWORK=tf, beside its own. */
export const tensorflowFile = 'tensorflow.txt';

/** Labels of the images built here, in the form of reverse names that OCI asks for only of public ones. */
export const imageLabelNames = {
  image: 'triton-workbench.image',
  content: 'triton-workbench.content',
} as const;

export interface RecipeFile {
  /** Inside the build context, with "/". */
  readonly name: string;
  readonly content: Buffer;
}

export interface ImageRecipe {
  readonly image: BuiltImage;
  /** "triton-workbench/triton-cpu:<12 hex>": other content, other tag. */
  readonly reference: string;
  /** SHA-256 (hex) of everything that decides the image. */
  readonly contentHash: string;
  readonly files: readonly RecipeFile[];
  readonly buildArgs: Readonly<Record<string, string>>;
}

/** Images that `client-gpu` is built from; FRAMEWORK=tf adds TensorFlow to any of them. */
export type ImageBuildArgs = Readonly<Record<string, string>>;

/**
 * Dockerfile and requirements of an image with their hash. Wheels are left out of it: the requirements name their
 * versions, and where they come from does not decide what they are.
 */
export async function readImageRecipe(
  resources: string,
  image: BuiltImage,
  buildArgs: ImageBuildArgs = {},
): Promise<ImageRecipe> {
  const read = async (name: string, path: string): Promise<RecipeFile> => ({
    name,
    content: await readFile(join(resources, path)),
  });
  const extra = buildArgs['FRAMEWORK'] === 'tf' ? [tensorflowFile] : [];
  const files = await Promise.all([
    read('Dockerfile', join('docker', `${image}.Dockerfile`)),
    ...[...requirementFiles[image], ...extra].map((name) =>
      read(`requirements/${name}`, join('requirements', name)),
    ),
  ]);
  const hash = createHash('sha256');
  for (const { name, content } of files) hash.update(`${name}\0${content.length}\0`).update(content);
  for (const [name, value] of Object.entries(buildArgs).sort()) hash.update(`${name}=${value}\0`);
  const contentHash = hash.digest('hex');
  return {
    image,
    reference: `triton-workbench/${image}:${contentHash.slice(0, 12)}`,
    contentHash,
    files,
    buildArgs,
  };
}

/** How far a pull or build is. */
export interface WorkProgress {
  /** 0 to 1; null while nothing is known. */
  readonly fraction: number | null;
  readonly text: string;
}

const knownSchema = z.strictObject({
  version: z.literal(1),
  images: z.array(
    z.strictObject({
      reference: z.string(),
      /** "sha256:…" of the image, and "name@sha256:…" of its registry where it has one. */
      id: z.string(),
      digest: z.string().nullable(),
      at: z.string(),
    }),
  ),
});
type Known = z.infer<typeof knownSchema>['images'];

const mostBytes = 1024 * 1024;
/** The oldest are forgotten: a machine has few images, and each of their tags is one entry. */
const mostImages = 1000;

/** What each reference meant when this home last used it: a tag is a name that somebody can give to another image. */
export interface KnownImages {
  /** Keeps what a reference means now, and gives what it meant before where that was another image; else null. */
  note(image: UsedImage): Promise<string | null>;
}

/** @param file `known-images.json` of the home; a damaged one knows nothing */
export function createKnownImages(file: string, now: () => Date): KnownImages {
  const turn: { tail: Promise<unknown> } = { tail: Promise.resolve() };
  const read = async (): Promise<Known> => {
    const content = await readBoundedFile(file, mostBytes);
    return 'text' in content ? (knownSchema.safeParse(jsonOrNull(content.text)).data?.images ?? []) : [];
  };
  const note = async ({ reference, id, digest }: UsedImage): Promise<string | null> => {
    const known = await read();
    const before = known.find((image) => image.reference === reference);
    if (before?.id === id) return null;
    const others = known.filter((image) => image.reference !== reference);
    const images = [...others, { reference, id, digest, at: now().toISOString() }].slice(-mostImages);
    await writeFileAtomic(file, `${JSON.stringify({ version: 1, images }, null, 2)}\n`);
    return before === undefined ? null : (before.digest ?? before.id);
  };
  return {
    note: (image) => {
      const done = turn.tail.then(() => note(image));
      turn.tail = done.catch(() => undefined);
      return done;
    },
  };
}

/** NVIDIA's names, of any mirror that keeps the path; the SDK image is known by its tag. */
function useByName(reference: string): ImageInfo['use'] {
  if (/(^|\/)nvidia\/tritonserver[:@]/.test(reference)) {
    return /:[^@]*-sdk\b/.test(reference) ? 'client' : 'triton';
  }
  return /(^|\/)nvidia\/pytorch[:@]/.test(reference) ? 'client' : null;
}

/** What the workbench uses an image for, by its own labels or by well-known names. Pure. */
export function imageUse(
  labels: Readonly<Record<string, string>> | null | undefined,
  names: readonly string[],
): ImageInfo['use'] {
  const own = labels?.[imageLabelNames.image];
  if (own === 'build') return own;
  if (own !== undefined) return own.startsWith('triton-') ? 'triton' : 'client';
  return names.map(useByName).find((use) => use !== null) ?? null;
}

const named = (names: readonly string[] | null | undefined) =>
  (names ?? []).filter((name) => !name.startsWith('<none>'));

/** Every image of the engine, newest first, without the intermediate ones of builds. */
export async function listImages(docker: Docker, signal?: AbortSignal): Promise<ImageInfo[]> {
  const [images, containers] = await Promise.all([
    ask('list the images', (abortSignal) => docker.listImages({ digests: true, abortSignal }), { signal }),
    ask('list the containers', (abortSignal) => docker.listContainers({ all: true, abortSignal }), {
      signal,
    }),
  ]);
  return images
    .sort((a, b) => b.Created - a.Created)
    .map((image) => {
      const tags = named(image.RepoTags);
      const digests = named(image.RepoDigests).filter((name) => !name.includes('<none>'));
      return {
        id: image.Id,
        tags,
        digests,
        sizeBytes: image.Size,
        createdAt: new Date(image.Created * 1000).toISOString(),
        use: imageUse(image.Labels, [...tags, ...digests]),
        containerCount: containers.filter(({ ImageID }) => ImageID === image.Id).length,
      };
    });
}

/**
 * Removes an image of the workbench with all its names. Throws image-missing, input-invalid for an image that is
 * somebody else's, docker-failed while a container uses it.
 */
export async function removeImage(docker: Docker, id: string): Promise<void> {
  const image = (await listImages(docker)).find((candidate) => candidate.id === id);
  if (image === undefined) throw new WorkbenchError('image-missing', `No such image: ${id}`);
  const name = image.tags[0] ?? image.digests[0] ?? id;
  if (image.use === null) {
    throw new WorkbenchError('input-invalid', `${name} is not an image of the workbench`, {
      remedy: `To remove it anyway, run "docker image rm ${name}".`,
    });
  }
  // Asked before: an image of several names would lose some of them before the engine refuses the last.
  const all = await ask('list the containers', (abortSignal) =>
    docker.listContainers({ all: true, abortSignal }),
  );
  const users = all.filter(({ ImageID }) => ImageID === id).map(({ Names, Id }) => Names[0]?.slice(1) ?? Id);
  if (users.length > 0) {
    throw new WorkbenchError('docker-failed', `${name} is in use by ${users.join(', ')}`, {
      remedy: 'Remove these containers first. Stopped containers use their image too.',
    });
  }
  // By id the engine refuses an image of several names; by name it goes with the last one.
  const names = image.tags.length > 0 ? image.tags : [id];
  for (const target of names) {
    await ask(
      `remove ${target}`,
      // Deleting the layers of a large image takes longer than other requests.
      (abortSignal) => docker.getImage(target).remove({ abortSignal }),
      { timeoutMs: 120_000 },
    );
  }
}
