import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import { type Pack, pack as createPack } from 'tar-stream';
import { isLoopback } from '../../contract/address';
import { WorkbenchError } from '../../contract/errors';
import { hostOf } from '../../contract/reach';
import { listFiles } from '../../platform/files';
import type { HomeLayout } from '../../platform/layout';
import { maxLineBytes } from '../../platform/lines';
import { dockerError, statusOf } from '../client';
import { failureOf, readEngineEvents } from './engine-stream';
import { imageLabelNames, type ImageRecipe, type RecipeFile, type WorkProgress } from './known-images';
import { fillWheelhouse } from './wheelhouse';

/** Fixed metadata for reproducible tars. */
const common = { mtime: new Date(0), uid: 0, gid: 0, uname: '', gname: '' } as const;

async function addFile(pack: Pack, name: string, path: string): Promise<void> {
  const { size } = await stat(path);
  await pipeline(createReadStream(path), pack.entry({ ...common, name, size, mode: 0o644 }));
}

async function fill(pack: Pack, files: readonly RecipeFile[], wheels: string | null): Promise<void> {
  for (const { name, content } of files) {
    pack.entry({ ...common, name, mode: 0o644 }, content);
  }
  // The Dockerfiles' COPY needs the folder, even empty.
  pack.entry({ ...common, name: 'wheels/', type: 'directory', mode: 0o755 });
  for (const path of wheels === null ? [] : await listFiles(wheels)) {
    if (path.endsWith('.whl')) {
      await addFile(pack, `wheels/${path.split(sep).join('/')}`, join(wheels ?? '', path));
    }
  }
  pack.finalize();
}

/** Build context as a tar stream: recipe files, and wheels under `wheels/`. Unreadable files end it with an error. */
export function packBuildContext(files: readonly RecipeFile[], wheels: string | null): Readable {
  const pack = createPack();
  fill(pack, files, wheels).catch((error: unknown) => {
    pack.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  // tar-stream's streams are not Node's.
  return Readable.from(pack, { objectMode: false });
}

const tailLines = 40;

export interface ImageReporter {
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
  readonly onProgress: (progress: WorkProgress) => void;
}

interface BuildImageOptions extends ImageReporter {
  readonly recipe: ImageRecipe;
  /** Folder of wheels; null: pip downloads in the build. */
  readonly wheels: string | null;
  readonly env: NodeJS.ProcessEnv;
}

/** Proxies of this machine, which the builder accepts undeclared and keeps out of image and cache. */
export function proxiesOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name] ?? '';
      // Loopback addresses would mean the container.
      const host = /^no_proxy$/i.test(name) ? null : hostOf(value);
      return value === '' || (host !== null && isLoopback(host)) ? [] : [[name, value]];
    }),
  );
}

/** "Step 4/9 : RUN …" of the classic builder, or null. */
function parseBuildStep(line: string): WorkProgress | null {
  const [, step, steps] = /^Step (\d+)\/(\d+) :/.exec(line) ?? [];
  if (step === undefined || steps === undefined || Number(steps) === 0) return null;
  return { fraction: (Number(step) - 1) / Number(steps), text: `Step ${step} of ${steps}` };
}

const packages =
  /No matching distribution found|Could not find a version that satisfies|Failed to establish a new connection|NewConnectionError|files\.pythonhosted\.org/;

function buildFailure(recipe: ImageRecipe, reason: string, tail: readonly string[]): WorkbenchError {
  const base =
    /manifest unknown|pull access denied|dial tcp|no such host|registry|TLS handshake|i\/o timeout/i;
  const remedy = base.test(reason)
    ? `Make the base image of the Dockerfile available to this Docker daemon with docker pull, or with docker load from a file.`
    : /no space left on device/i.test(reason)
      ? 'Free some disk space for Docker images, for example with "docker image prune".'
      : tail.some((line) => packages.test(line))
        ? 'pip in the build has no access to its package index. Install the Python environment on the Environment page or with "triton-workbench setup": the packages then come by the mirror and proxy of this machine.'
        : undefined;
  return new WorkbenchError('image-build-failed', `${recipe.reference} could not be built: ${reason}`, {
    remedy,
    details: tail.join('\n'),
  });
}

/** Joins fragments to lines; text before a carriage return is overwritten. */
function lineJoiner(take: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = `${rest}${text}`.split('\n');
    // Limits an endless line.
    rest = (lines.pop() ?? '').slice(0, maxLineBytes);
    for (const line of lines) {
      const shown = line.replace(/\r$/, '').split('\r').at(-1) ?? '';
      if (shown !== '') take(shown);
    }
  };
}

/**
 * Builds with the classic builder in the default network; apt and pip download missing files. Intermediate images
 * remain as cache. Throws image-build-failed with the last lines, cancelled, or connection errors.
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
      buildargs: { ...proxiesOf(options.env), ...recipe.buildArgs },
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
      // The builder pulls a missing base image.
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

export interface MakeImageOptions {
  readonly layout: HomeLayout;
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
}

interface MakeImageInput extends ImageReporter {
  readonly docker: Docker;
  /** Architecture of the engine: "amd64". */
  readonly architecture: string;
  readonly recipe: ImageRecipe;
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

/** Downloads wheels for CPU images first. Skips existing images, whose tags are content hashes. */
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
  await buildImage(input.docker, { recipe, wheels, env: options.env, signal, onLine, onProgress });
}
