import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { DockerState } from '../contract/docker';
import { toWire } from '../contract/errors';
import { linkedAbort } from '../platform/abort';
import { LineSplitter } from '../platform/line-splitter';
import { ask, type DockerClient } from './client';
import { instanceFilter } from './labels';
import { listContainers } from './list-containers';
import { backOffMs } from './persist';

/** Engines before API 1.52 say `status` and `id` beside `Action` and `Actor` (Engine API version history). */
const eventSchema = z.union([
  z.looseObject({ Action: z.string(), Actor: z.looseObject({ ID: z.string() }) }),
  z.looseObject({ status: z.string(), id: z.string() }),
]);

/** What programs inside a container are asked to do changes nothing that a list shows. */
const beside = /^(?:exec_|top$|attach$|resize$)/;

interface FollowEventsInput {
  readonly client: DockerClient;
  readonly instance: string;
  readonly signal: AbortSignal;
  /** Limit for the engine to open the stream. */
  readonly timeoutMs: number;
  readonly onOpen: () => void;
  /** Something became of a container of this instance. */
  readonly onEvent: () => void;
}

/** Does the line tell of a change? Pure. Throws for what is no event. */
export function parseEvent(line: string): boolean {
  const event = eventSchema.parse(JSON.parse(line));
  return !beside.test('Action' in event ? String(event.Action) : event.status);
}

/**
 * Listens to the engine until the stream is over. End, close, error and a line that is no event are all the same: it
 * resolves, and what happened since is for a list to say. Throws when the stream cannot be opened.
 */
async function followEvents(input: FollowEventsInput): Promise<void> {
  const { client, signal } = input;
  const filters = JSON.stringify({ type: ['container'], ...instanceFilter(input.instance) });
  const stream = (await ask(
    'listen to its events',
    (abortSignal) => {
      const query = { filters, abortSignal };
      return client.docker.getEvents(query);
    },
    { signal, timeoutMs: input.timeoutMs },
  )) as unknown as Readable;
  const stop = () => {
    stream.destroy();
  };
  try {
    await new Promise<void>((resolve) => {
      const over = () => {
        resolve();
      };
      // Holds 64 KiB of a line at most; what is cut there is no JSON any more.
      const lines = new LineSplitter((line) => {
        if (line.trim() === '') return;
        if (parseEvent(line)) input.onEvent();
      });
      stream.on('data', (chunk: Buffer) => {
        try {
          lines.add(chunk);
        } catch {
          over();
        }
      });
      for (const end of ['end', 'close', 'error', 'aborted']) stream.once(end, over);
      signal.addEventListener('abort', over, { once: true });
      if (signal.aborted) over();
      else input.onOpen();
    });
  } finally {
    // A stream that is destroyed may still tell of an error.
    stream.on('error', () => undefined);
    stop();
  }
}

/** Events come in handfuls; one list answers them all. */
const gatherMs = 50;
/** Between two attempts to reach the engine, or to open its event stream. */
const shortestPauseMs = 250;
/** An event stream that lasted this long, or told something, was a good one. */
const goodStreamMs = 10_000;

interface DockerWatchOptions {
  readonly connect: (signal: AbortSignal) => Promise<DockerClient>;
  readonly instance: string;
  /** Address of the engine as people write it. */
  readonly host: string;
  /** Hears every state that differs from the one before in more than its time. */
  readonly emit: (state: DockerState) => void;
  readonly now: () => Date;
  /** A list is made this often even when no event comes: a stream that is half open tells nothing. */
  readonly heartbeatMs?: number;
  readonly listTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** The back-off ends here. An engine on this machine costs little to ask and is seen back within a second. */
  readonly longestPauseMs?: number;
}

export interface DockerWatch {
  state(): DockerState;
  /** Asks the engine soon, even in the middle of a pause. */
  refresh(): void;
  /** null while there is no connection. */
  client(): DockerClient | null;
  close(): Promise<void>;
}

/** Many hints are one, and none is lost. */
class Hint {
  private given = false;
  private waker = new AbortController();

  give(): void {
    this.given = true;
    this.waker.abort();
  }

  /** Resolves with true at a hint, given before or now, and with false after the time. */
  async wait(ms: number): Promise<boolean> {
    if (!this.given) await sleep(ms, undefined, { signal: this.waker.signal }).catch(() => undefined);
    return this.given;
  }

  take(): void {
    this.given = false;
    this.waker = new AbortController();
  }
}

const identity = (state: DockerState) => state.containers.map((one) => `${one.id} ${one.state}`);

/**
 * Keeps the list of this workbench's containers as the engine has it, through any trouble with the connection, until
 * `close`. Only lists are believed; the event stream says when to list again. Connected means: the last list was
 * answered. While it was not, the containers stay as last known.
 */
export function createDockerWatch(options: DockerWatchOptions): DockerWatch {
  const { instance, host, heartbeatMs = 1500, listTimeoutMs = 3000, connectTimeoutMs = 5000 } = options;
  const longestPauseMs = options.longestPauseMs ?? (host.startsWith('unix:') ? 1000 : 5000);
  const closing = new AbortController();
  const hint = new Hint();
  let live: DockerClient | null = null;
  let dropStream: (() => void) | null = null;
  let state: DockerState = {
    connection: 'connecting',
    host,
    error: null,
    containers: [],
    listedAt: null,
  };

  const closed = () => closing.signal.aborted;
  const pauseMs = (attempt: number) => Math.min(longestPauseMs, backOffMs(attempt + 1));
  const update = (next: Partial<DockerState>) => {
    const before = state;
    state = { ...before, ...next };
    if (closed() || isDeepStrictEqual({ ...before, listedAt: state.listedAt }, state)) return;
    options.emit(state);
  };

  async function list(client: DockerClient): Promise<void> {
    const found = await listContainers(client, instance, {
      signal: closing.signal,
      timeoutMs: listTimeoutMs,
    });
    live = client;
    const containers = found.map(({ info }) => info);
    update({ connection: 'connected', error: null, containers, listedAt: options.now().toISOString() });
  }

  /** Opens the event stream again and again until the signal. */
  async function hear(client: DockerClient, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const startedMs = performance.now();
      const stream = { told: false };
      const { controller, dispose } = linkedAbort(signal);
      dropStream = () => {
        controller.abort();
      };
      await followEvents({
        client,
        instance,
        signal: controller.signal,
        timeoutMs: listTimeoutMs,
        // The engine listens to itself only after it has opened the stream; the list comes after both.
        onOpen: () => {
          hint.give();
        },
        onEvent: () => {
          stream.told = true;
          hint.give();
        },
      }).catch(() => undefined);
      dispose();
      if (stream.told || performance.now() - startedMs > goodStreamMs) attempt = 0;
      // A stream that is over may be the first sign of an engine that is gone.
      hint.give();
      await sleep(pauseMs(attempt), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Lists at every hint and every heartbeat. Throws when a list is not answered. */
  async function serve(client: DockerClient): Promise<void> {
    const { controller, dispose } = linkedAbort(closing.signal);
    const hearing = hear(client, controller.signal);
    try {
      while (!closed()) {
        const hinted = await hint.wait(heartbeatMs);
        if (hinted) await sleep(gatherMs, undefined, { signal: closing.signal }).catch(() => undefined);
        if (closed()) return;
        hint.take();
        const before = identity(state);
        await list(client);
        // What only the heartbeat found, the stream has kept back.
        if (!hinted && !isDeepStrictEqual(before, identity(state))) dropStream?.();
      }
    } finally {
      controller.abort();
      await hearing;
      dispose();
    }
  }

  async function run(): Promise<void> {
    for (let attempt = 0; !closed(); attempt += 1) {
      try {
        const limits = { signal: closing.signal, timeoutMs: connectTimeoutMs };
        const client = await ask(`connect to the Docker daemon at ${host}`, options.connect, limits);
        await list(client);
        attempt = 0;
        await serve(client);
      } catch (error) {
        // One answer that fails is tried again before anybody is alarmed.
        const connection = live === null ? 'unavailable' : 'connecting';
        live = null;
        update({ connection, error: toWire(error) });
      }
      hint.take();
      await sleep(shortestPauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
      if (!closed()) await hint.wait(Math.max(0, pauseMs(attempt) - shortestPauseMs));
      hint.take();
    }
  }

  const running = run();
  return {
    state: () => state,
    refresh: () => {
      hint.give();
    },
    client: () => live,
    close: async () => {
      closing.abort();
      hint.give();
      await running;
      live = null;
    },
  };
}
