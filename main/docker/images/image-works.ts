import type Docker from 'dockerode';
import type { BuiltImage, ImageWork } from '../../contract/docker';
import type { HomeLayout } from '../../platform/layout';
import { Works } from '../../platform/works';
import { type ImageReporter, makeImage } from './build-image';
import type { RegistryAuths } from './docker-config';
import { type ImageBuildArgs, readImageRecipe } from './image-recipe';
import { formatImageReference, parseImageReference } from './image-reference';
import { pullImage } from './pull-image';

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
        onProgress: ({ fraction, text }) => {
          change({ fraction, text });
        },
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
    cancel: (workId) => {
      works.cancel(workId);
    },
    list: () => works.list(),
    ended: (workId) => works.ended(workId),
    stop: () => works.close(),
  };
}
