import { randomUUID } from 'node:crypto';
import type Docker from 'dockerode';
import type { BuiltImage, ImageWork } from '../../contract/docker';
import { WorkbenchError } from '../../contract/errors';
import { failedWork } from '../../platform/file-error';
import type { HomeLayout } from '../../platform/layout';
import { makeImage } from './build-image';
import type { RegistryAuths } from './docker-config';
import { type ImageBuildArgs, type ImageRecipe, readImageRecipe, type WorkProgress } from './image-recipe';
import { formatImageReference, parseImageReference } from './image-reference';
import { pullImage } from './pull-image';

const keptLines = 200;
const keptWorks = 20;
/** A pull tells of itself a hundred times a second; nobody reads that fast. */
const emitEveryMs = 200;

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

interface Entry {
  work: ImageWork;
  readonly controller: AbortController;
  ended: Promise<ImageWork>;
}

interface Reporter {
  readonly signal: AbortSignal;
  readonly line: (line: string) => void;
  readonly progress: (progress: WorkProgress) => void;
}

/** Pulls and builds under way, one at a time for each image. */
export function createImageWorks(options: ImageWorksOptions): ImageWorks {
  const entries = new Map<string, Entry>();

  const forgetOldest = () => {
    const over = [...entries.values()].filter(({ work }) => work.status !== 'running').slice(0, -keptWorks);
    for (const { work } of over) entries.delete(work.id);
  };

  const start = (
    kind: ImageWork['kind'],
    image: string,
    run: (reporter: Reporter) => Promise<void>,
  ): string => {
    const busy = [...entries.values()].find(({ work }) => work.image === image && work.status === 'running');
    if (busy !== undefined) return busy.work.id;
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const change = (part: Partial<ImageWork>) => {
      entry.work = { ...entry.work, ...part };
      timer ??= setTimeout(() => {
        timer = undefined;
        options.emit(entry.work);
      }, emitEveryMs);
    };
    const finish = (part: Partial<ImageWork>): ImageWork => {
      clearTimeout(timer);
      entry.work = { ...entry.work, ...part };
      forgetOldest();
      options.emit(entry.work);
      return entry.work;
    };
    const work: ImageWork = {
      id: randomUUID(),
      kind,
      image,
      status: 'running',
      fraction: null,
      text: 'Starting',
      lines: [],
      error: null,
    };
    const entry: Entry = { work, controller, ended: Promise.resolve(work) };
    entries.set(work.id, entry);
    options.emit(work);
    entry.ended = run({
      signal: controller.signal,
      line: (line) => {
        change({ lines: [...entry.work.lines, line].slice(-keptLines) });
      },
      progress: ({ fraction, text }) => {
        change({ fraction, text });
      },
    }).then(
      () => finish({ status: 'done', fraction: 1, text: kind === 'pull' ? 'Pulled' : 'Built' }),
      (error: unknown) => finish(failedWork(error)),
    );
    return work.id;
  };

  const build = async (recipe: ImageRecipe, { signal, line, progress }: Reporter): Promise<void> => {
    await makeImage(options, {
      ...(await options.engine()),
      recipe,
      signal,
      onLine: line,
      onProgress: progress,
    });
  };

  return {
    pull(text) {
      const reference = formatImageReference(parseImageReference(text));
      return start('pull', reference, async ({ signal, line, progress }) => {
        const { docker } = await options.engine();
        const auth = await options.auths.authFor(reference);
        await pullImage(docker, reference, { auth, signal, onProgress: progress, onLine: line });
      });
    },
    async build(image, buildArgs) {
      const recipe = await readImageRecipe(options.resources, image, buildArgs);
      return start('build', recipe.reference, (reporter) => build(recipe, reporter));
    },
    cancel(workId) {
      entries.get(workId)?.controller.abort();
    },
    list: () => [...entries.values()].map(({ work }) => work).reverse(),
    async ended(workId) {
      const entry = entries.get(workId);
      if (entry === undefined) throw new WorkbenchError('input-invalid', `No such pull or build: ${workId}`);
      return entry.ended;
    },
    async stop() {
      for (const { controller } of entries.values()) controller.abort();
      await Promise.all([...entries.values()].map(({ ended }) => ended));
    },
  };
}
