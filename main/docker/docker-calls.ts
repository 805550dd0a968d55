import type { CoreEvent, Handlers } from '../contract/api';
import type { BuiltImage, DockerState } from '../contract/docker';
import { WorkbenchError } from '../contract/errors';
import type { DockerClient } from './client';
import { removeContainer, startContainer, stopContainer } from './container-life';
import { readContainerStats, unknownStats } from './container-stats';
import type { DockerLink } from './docker-link';
import { followLog } from './follow-log';
import { listImages, removeImage } from './images/known-images';
import type { ImageWorks } from './images/prepare-image';
import { DockerWatch } from './watch';

const gatherMs = 50;

function createLogFeeds(emit: (id: string, lines: readonly string[]) => void) {
  const feeds = new Map<string, AbortController>();
  return {
    /** Emits lines in batches, the last `tail` first, until the end or `close`. */
    follow(client: DockerClient, id: string, tail: number) {
      feeds.get(id)?.abort();
      const controller = new AbortController();
      feeds.set(id, controller);
      let pending: string[] = [];
      let timer: NodeJS.Timeout | undefined;
      // The stream starts with the whole log; only the tail is emitted.
      let first = true;
      const flush = () => {
        timer = undefined;
        if (controller.signal.aborted || pending.length === 0) return;
        const lines = first ? pending.slice(-Math.max(1, tail)) : pending;
        first = false;
        pending = [];
        emit(id, lines);
      };
      void followLog({
        client,
        id,
        signal: controller.signal,
        onLine: (_channel, line) => {
          pending.push(line);
          if (first && pending.length > 2 * tail + 1000) pending = pending.slice(-tail);
          timer ??= setTimeout(flush, gatherMs);
        },
      }).finally(() => {
        clearTimeout(timer);
        flush();
        if (feeds.get(id) === controller) feeds.delete(id);
      });
    },
    unfollow(id: string) {
      feeds.get(id)?.abort();
      feeds.delete(id);
    },
    close() {
      for (const controller of feeds.values()) controller.abort();
      feeds.clear();
    },
  };
}

type CallName = Exclude<Extract<keyof Handlers, `docker.${string}`>, 'docker.login'>;

interface DockerCalls {
  readonly handlers: Pick<Handlers, CallName>;
  close(): Promise<void>;
}

interface DockerCallsOptions {
  readonly link: DockerLink;
  readonly images: ImageWorks;
  /** Base images of a built image. */
  readonly buildArgs: (image: BuiltImage) => Readonly<Record<string, string>>;
  readonly emit: (event: CoreEvent) => void;
  readonly now: () => Date;
}

function imageHandlers({ link, images, buildArgs }: DockerCallsOptions) {
  return {
    'docker.images': async () => listImages((await link.connect()).docker),
    'docker.pullImage': ({ reference }) => Promise.resolve({ workId: images.pull(reference) }),
    'docker.buildImage': async ({ image }) => ({
      workId: await images.build(image, buildArgs(image)),
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
  } satisfies Partial<DockerCalls['handlers']>;
}

/** Window calls. Watching starts with the first one. */
export function createDockerCalls(options: DockerCallsOptions): DockerCalls {
  const { link, images, emit } = options;
  const opened: { watch: Promise<DockerWatch> | null } = { watch: null };
  const feeds = createLogFeeds((id, lines) => emit({ type: 'container-log', id, lines }));
  const watch = (): Promise<DockerWatch> => {
    opened.watch ??= (async () =>
      new DockerWatch({
        connect: (signal) => link.reconnect(signal),
        instance: await link.instance(),
        host: (await link.address()).host,
        emit: (state) => emit({ type: 'docker-changed', state }),
        now: options.now,
      }))().catch((error: unknown) => {
      opened.watch = null;
      throw error;
    });
    return opened.watch;
  };
  const state = async (): Promise<DockerState> => (await watch()).state();

  /** Only the home's containers, which the watch lists. */
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
        readContainerStats(client, id).catch(() => unknownStats(id));
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
    ...imageHandlers(options),
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
