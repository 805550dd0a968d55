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

/** Requirements of each image, in `resources/requirements`. */
const requirementFiles: Readonly<Record<BuiltImage, readonly string[]>> = {
  'triton-cpu': ['perf-analyzer.txt', 'runtime.txt', 'locked/runtime.txt'],
  'client-cpu': ['perf-analyzer.txt', 'runtime.txt', 'locked/runtime.txt'],
  'client-gpu': ['client-gpu.txt'],
};

/** Additional requirements with FRAMEWORK=tf. */
export const tensorflowFile = 'locked/tensorflow.txt';

/** Labels of built images; reverse domain names are required for public ones only. */
export const imageLabelNames = {
  image: 'triton-workbench.image',
  content: 'triton-workbench.content',
} as const;

export interface RecipeFile {
  /** Path in the build context, with "/". */
  readonly name: string;
  readonly content: Buffer;
}

export interface ImageRecipe {
  readonly image: BuiltImage;
  /** "triton-workbench/triton-cpu:<12 hex>", tagged by content. */
  readonly reference: string;
  /** SHA-256 (hex) of everything that affects the image. */
  readonly contentHash: string;
  readonly files: readonly RecipeFile[];
  readonly buildArgs: Readonly<Record<string, string>>;
}

/** Base images of `client-gpu`; FRAMEWORK=tf adds TensorFlow. */
export type ImageBuildArgs = Readonly<Record<string, string>>;

/** Dockerfile and requirements with their hash. Wheels are not hashed: the requirements pin their versions. */
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

/** Progress of a pull or build. */
export interface WorkProgress {
  /** 0 to 1; null if unknown. */
  readonly fraction: number | null;
  readonly text: string;
}

const knownSchema = z.strictObject({
  version: z.literal(1),
  images: z.array(
    z.strictObject({
      reference: z.string(),
      /** "sha256:…", and "name@sha256:…" if it has a registry. */
      id: z.string(),
      digest: z.string().nullable(),
      at: z.string(),
    }),
  ),
});
type Known = z.infer<typeof knownSchema>['images'];

const mostBytes = 1024 * 1024;
/** Limit; the oldest are dropped. */
const mostImages = 1000;

/** Last used image id per reference, because tags can move. */
export interface KnownImages {
  /** Records the image. Returns the previous one if it differs, or null. */
  note(image: UsedImage): Promise<string | null>;
}

/** @param file `known-images.json` of the home; damaged ones count as empty */
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

/** NVIDIA's image paths on any mirror; SDK images are recognized by tag. */
function useByName(reference: string): ImageInfo['use'] {
  if (/(^|\/)nvidia\/tritonserver[:@]/.test(reference)) {
    return /:[^@]*-sdk\b/.test(reference) ? 'client' : 'triton';
  }
  return /(^|\/)nvidia\/pytorch[:@]/.test(reference) ? 'client' : null;
}

/** Purpose by label or well-known name. */
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

/** All images, newest first, without intermediate ones. */
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

/** Removes all tags. Throws image-missing, input-invalid for other images, docker-failed while in use. */
export async function removeImage(docker: Docker, id: string): Promise<void> {
  const image = (await listImages(docker)).find((candidate) => candidate.id === id);
  if (image === undefined) throw new WorkbenchError('image-missing', `No such image: ${id}`);
  const name = image.tags[0] ?? image.digests[0] ?? id;
  if (image.use === null) {
    throw new WorkbenchError('input-invalid', `${name} is not an image of the workbench`, {
      remedy: `To remove it anyway, run "docker image rm ${name}".`,
    });
  }
  // Checked first: otherwise some tags would be removed before the engine refuses the last.
  const all = await ask('list the containers', (abortSignal) =>
    docker.listContainers({ all: true, abortSignal }),
  );
  const users = all.filter(({ ImageID }) => ImageID === id).map(({ Names, Id }) => Names[0]?.slice(1) ?? Id);
  if (users.length > 0) {
    throw new WorkbenchError('docker-failed', `${name} is in use by ${users.join(', ')}`, {
      remedy: 'Remove these containers first. Stopped containers use their image too.',
    });
  }
  // Docker refuses ids with several tags; the last tag deletes the image.
  const names = image.tags.length > 0 ? image.tags : [id];
  for (const target of names) {
    await ask(
      `remove ${target}`,
      // Deleting large layers is slow.
      (abortSignal) => docker.getImage(target).remove({ abortSignal }),
      { timeoutMs: 120_000 },
    );
  }
}
