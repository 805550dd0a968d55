import type { DockerClient } from './client';
import { ask } from './client';
import { followLog } from './follow-log';

const gatherMs = 50;

export interface LogFeeds {
  /** Tells the container's lines in batches, its last `tail` lines first, until it ends or `close`. */
  follow(client: DockerClient, id: string, tail: number): void;
  unfollow(id: string): void;
  close(): void;
}

/** Logs of containers that somebody looks at. */
export function createLogFeeds(emit: (id: string, lines: readonly string[]) => void): LogFeeds {
  const feeds = new Map<string, AbortController>();
  return {
    follow(client, id, tail) {
      feeds.get(id)?.abort();
      const controller = new AbortController();
      feeds.set(id, controller);
      let pending: string[] = [];
      let timer: NodeJS.Timeout | undefined;
      // The whole log comes again at the start; what is beyond the tail is dropped before it is told.
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
    unfollow(id) {
      feeds.get(id)?.abort();
      feeds.delete(id);
    },
    close() {
      for (const controller of feeds.values()) controller.abort();
      feeds.clear();
    },
  };
}

/** One reading of a container. */
export function readStats(client: DockerClient, id: string): Promise<unknown> {
  return ask(
    'read the statistics of the container',
    () => client.docker.getContainer(id).stats({ stream: false }),
    { timeoutMs: 10_000 },
  );
}
