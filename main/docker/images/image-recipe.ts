import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuiltImage } from '../../contract/docker';

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
