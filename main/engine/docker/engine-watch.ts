import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../docker/client';
import type { DockerLink } from '../../docker/docker-link';
import type { EngineWatch } from '../engine';

const everyMs = 2000;
const answerLimitMs = 5000;
/** A restart that leaves containers running is over by then; longer than that the run says that it waits. */
const patienceMs = 10_000;
/** The end of a container that an engine took with it is told when the engine is back. */
const recentMs = 60_000;

/** Watches the engine of a run. @param host its address, for people. @param waitMs how long a run waits for it. */
export function createEngineWatch(link: DockerLink, host: string, waitMs?: number): EngineWatch {
  const away: { sinceMs: number | null; lastMs: number } = { sinceMs: null, lastMs: -Infinity };
  const answers = async (): Promise<boolean> => {
    const askedMs = performance.now();
    try {
      const { docker } = await link.connect();
      const ping = docker.ping.bind(docker) as (options: object) => Promise<unknown>;
      await ask('answer', (abortSignal) => ping({ abortSignal }), { timeoutMs: answerLimitMs });
      away.sinceMs = null;
      return true;
    } catch {
      away.sinceMs ??= askedMs;
      away.lastMs = performance.now();
      return false;
    }
  };
  return {
    name: `the Docker Engine at ${host}`,
    waitMs,
    start: (onAway) => {
      const stop = new AbortController();
      const stopped = () => stop.signal.aborted;
      away.sinceMs = null;
      void (async () => {
        while (!stopped()) {
          await sleep(everyMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
          if (stopped() || (await answers()) || away.sinceMs === null) continue;
          if (performance.now() - away.sinceMs < patienceMs) continue;
          onAway();
          return;
        }
      })();
      return () => {
        stop.abort();
      };
    },
    answers,
    wasAway: async () => !(await answers()) || performance.now() - away.lastMs < recentMs,
  };
}
