import type Docker from 'dockerode';
import type { HomeLayout } from '../../platform/layout';
import { dockerError, statusOf } from '../docker-error';
import { buildImage } from './build-image';
import type { ImageRecipe } from './image-recipe';
import { fillWheelhouse } from './wheelhouse';
import type { WorkProgress } from './work-progress';

export interface MakeImageOptions {
  readonly layout: HomeLayout;
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface MakeImageInput {
  readonly docker: Docker;
  /** The engine's processor: "amd64". */
  readonly architecture: string;
  readonly recipe: ImageRecipe;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
  readonly onProgress: (progress: WorkProgress) => void;
}

async function isThere(docker: Docker, reference: string): Promise<boolean> {
  try {
    await docker.getImage(reference).inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw dockerError(error, `look for ${reference}`);
  }
}

/**
 * Builds an image of `resources/docker`, the packages of those for the CPU fetched before by pip of this machine.
 * One that is there is not built again: its tag names its content.
 */
export async function makeImage(options: MakeImageOptions, input: MakeImageInput): Promise<void> {
  const { recipe, architecture, signal, onLine, onProgress } = input;
  if (await isThere(input.docker, recipe.reference)) {
    onProgress({ fraction: 1, text: 'Already present' });
    return;
  }
  let wheels: string | null = null;
  if (recipe.image !== 'client-gpu') {
    onProgress({ fraction: null, text: 'Fetching the Python packages' });
    const tensorflow = recipe.buildArgs['FRAMEWORK'] === 'tf';
    wheels = await fillWheelhouse({ ...options, architecture, tensorflow, signal, onLine });
  }
  await buildImage(input.docker, { recipe, wheels, signal, onLine, onProgress });
}
