import type { CoreEvent, Handlers } from '../contract/api';
import type { BuiltImage, DockerState } from '../contract/docker';
import { WorkbenchError } from '../contract/errors';
import type { DockerClient } from './client';
import { removeContainer, startContainer, stopContainer } from './container-life';
import type { DockerLink } from './docker-link';
import type { ImageWorks } from './images/image-works';
import { listImages, removeImage } from './images/list-images';
import { createLogFeeds, readStats } from './log-feeds';
import { parseStats } from './stats';
import type { DockerWatch } from './watch';
import { createDockerWatch } from './watch';

type CallName = Exclude<Extract<keyof Handlers, `docker.${string}`>, 'docker.login'>;

export interface DockerCalls {
  readonly handlers: Pick<Handlers, CallName>;
  close(): Promise<void>;
}

export interface DockerCallsOptions {
  readonly link: DockerLink;
  readonly images: ImageWorks;
  /** Base images of a built one. */
  readonly buildArgs: (image: BuiltImage) => Readonly<Record<string, string>>;
  readonly emit: (event: CoreEvent) => void;
  readonly now: () => Date;
}

/** What people do with containers and images. The engine is watched from the first question on. */
export function createDockerCalls(options: DockerCallsOptions): DockerCalls {
  const { link, images, emit } = options;
  const opened: { watch: Promise<DockerWatch> | null } = { watch: null };
  const feeds = createLogFeeds((id, lines) => {
    emit({ type: 'container-log', id, lines });
  });
  const watch = (): Promise<DockerWatch> => {
    opened.watch ??= (async () =>
      createDockerWatch({
        connect: (signal) => link.reconnect(signal),
        instance: await link.instance(),
        host: (await link.address()).host,
        emit: (state) => {
          emit({ type: 'docker-changed', state });
        },
        now: options.now,
      }))().catch((error: unknown) => {
      opened.watch = null;
      throw error;
    });
    return opened.watch;
  };
  const state = async (): Promise<DockerState> => (await watch()).state();

  /** Only containers of this home: the watch lists no others. */
  const own = async (id: string): Promise<DockerClient> => {
    const client = await link.connect();
    if ((await state()).containers.some((container) => container.id === id)) return client;
    throw new WorkbenchError('input-invalid', `${id.slice(0, 12)} is not a container of this workbench`);
  };
  const act = async (id: string, work: (client: DockerClient) => Promise<unknown>): Promise<null> => {
    const client = await own(id);
    try {
      await work(client);
    } finally {
      (await watch()).refresh();
    }
    return null;
  };
  const { signal } = new AbortController();
  const handlers: DockerCalls['handlers'] = {
    'docker.state': state,
    'docker.start': ({ id }) => act(id, (client) => startContainer(client, id, { signal })),
    'docker.stop': ({ id }) => act(id, (client) => stopContainer(client, id)),
    'docker.restart': ({ id }) =>
      act(id, async (client) => {
        await stopContainer(client, id);
        await startContainer(client, id, { signal });
      }),
    'docker.remove': ({ id }) => act(id, (client) => removeContainer(client, id)),
    'docker.stats': async () => {
      const client = await link.connect();
      const running = (await state()).containers.filter((container) => container.state === 'running');
      const read = ({ id }: { readonly id: string }) =>
        readStats(client, id).then(
          (answer) => parseStats(id, answer),
          () => parseStats(id, null),
        );
      return Promise.all(running.map(read));
    },
    'docker.followLog': async ({ id, tail }) => {
      feeds.follow(await own(id), id, tail);
      return null;
    },
    'docker.unfollowLog': ({ id }) => {
      feeds.unfollow(id);
      return Promise.resolve(null);
    },
    'docker.images': async () => listImages((await link.connect()).docker),
    'docker.pullImage': ({ reference }) => Promise.resolve({ workId: images.pull(reference) }),
    'docker.buildImage': async ({ image }) => ({
      workId: await images.build(image, options.buildArgs(image)),
    }),
    'docker.cancelImageWork': ({ workId }) => {
      images.cancel(workId);
      return Promise.resolve(null);
    },
    'docker.imageWorks': () => Promise.resolve(images.list()),
    'docker.removeImage': async ({ id }) => {
      await removeImage((await link.connect()).docker, id);
      return null;
    },
  };
  return {
    handlers,
    close: async () => {
      feeds.close();
      await (await opened.watch)?.close();
      await images.stop();
    },
  };
}
