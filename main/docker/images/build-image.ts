import type Docker from 'dockerode';
import { WorkbenchError } from '../../contract/errors';
import { maxLineBytes } from '../../platform/line-splitter';
import { dockerError } from '../docker-error';
import { packBuildContext } from './build-context';
import { failureOf, readEngineEvents } from './engine-stream';
import type { ImageRecipe } from './image-recipe';
import { imageLabelNames } from './image-recipe';
import type { WorkProgress } from './work-progress';

const tailLines = 40;

export interface BuildImageOptions {
  readonly recipe: ImageRecipe;
  /** Folder of wheels; null: pip asks its index from inside the build. */
  readonly wheels: string | null;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
  readonly onProgress: (progress: WorkProgress) => void;
}

/** "Step 4/9 : RUN …" of the classic builder. Pure; null for any other line. */
export function parseBuildStep(line: string): WorkProgress | null {
  const [, step, steps] = /^Step (\d+)\/(\d+) :/.exec(line) ?? [];
  if (step === undefined || steps === undefined || Number(steps) === 0) return null;
  return { fraction: (Number(step) - 1) / Number(steps), text: `Step ${step} of ${steps}` };
}

function buildFailure(recipe: ImageRecipe, reason: string, tail: readonly string[]): WorkbenchError {
  const base =
    /manifest unknown|pull access denied|dial tcp|no such host|registry|TLS handshake|i\/o timeout/i;
  const remedy = base.test(reason)
    ? `Make the base image of the Dockerfile available to this Docker daemon with docker pull, or with docker load from a file.`
    : /no space left on device/i.test(reason)
      ? 'Free some disk space for Docker images, for example with "docker image prune".'
      : undefined;
  return new WorkbenchError('image-build-failed', `${recipe.reference} could not be built: ${reason}`, {
    remedy,
    details: tail.join('\n'),
  });
}

/** Joins the pieces that the builder sends to lines; what stands before a carriage return was overwritten. */
function lineJoiner(take: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = `${rest}${text}`.split('\n');
    // A line without an end does not grow without one.
    rest = (lines.pop() ?? '').slice(0, maxLineBytes);
    for (const line of lines) {
      const shown = line.replace(/\r$/, '').split('\r').at(-1) ?? '';
      if (shown !== '') take(shown);
    }
  };
}

/**
 * Builds an image by the engine's classic builder, in the engine's default network: what the context has not is
 * fetched by apt and pip inside the build. The intermediate images stay as the cache of the next build.
 * Throws image-build-failed with the last lines, cancelled, or what the connection says.
 */
export async function buildImage(
  docker: Docker,
  options: BuildImageOptions,
): Promise<{ readonly id: string }> {
  const { recipe, signal } = options;
  const tail: string[] = [];
  const failure: { reason: string | null } = { reason: null };
  const take = (line: string) => {
    tail.push(line);
    if (tail.length > tailLines) tail.shift();
    options.onLine(line);
    const step = parseBuildStep(line);
    if (step !== null) options.onProgress(step);
  };
  const join = lineJoiner(take);
  const context = packBuildContext(recipe.files, options.wheels);
  try {
    options.onProgress({ fraction: null, text: 'Sending the build context' });
    const answer = await docker.buildImage(context, {
      t: recipe.reference,
      version: '1',
      forcerm: true,
      buildargs: { ...recipe.buildArgs },
      labels: {
        [imageLabelNames.image]: recipe.image,
        [imageLabelNames.content]: recipe.contentHash,
        'org.opencontainers.image.revision': recipe.contentHash,
      },
      abortSignal: signal,
    });
    await readEngineEvents(answer, signal, (event) => {
      failure.reason ??= failureOf(event);
      if (event.stream !== undefined) join(event.stream);
      // The builder pulls a base image that is not there.
      else if (event.status !== undefined && event.progressDetail?.total === undefined) {
        join(`${event.id === undefined ? '' : `${event.id}: `}${event.status}\n`);
      }
    });
    if (failure.reason === null) {
      const { Id } = await docker.getImage(recipe.reference).inspect();
      options.onProgress({ fraction: 1, text: 'Built' });
      return { id: Id };
    }
  } catch (error) {
    if (!signal.aborted) throw dockerError(error, `build ${recipe.reference}`);
  } finally {
    context.destroy();
  }
  if (signal.aborted) throw new WorkbenchError('cancelled', `The build of ${recipe.reference} was cancelled`);
  throw buildFailure(recipe, failure.reason ?? 'the builder returned no image', tail);
}
