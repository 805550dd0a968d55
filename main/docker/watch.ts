import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { DockerState } from '../contract/docker';
import { toWire } from '../contract/errors';
import { linkedAbort } from '../platform/abort';
import { LineSplitter } from '../platform/lines';
import { ask, type DockerClient } from './client';
import { backOffMs } from './container-life';
import { instanceFilter, listContainers } from './containers';

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

/** Whether the line reports a change. Pure. Throws for a line that is not an event. */
export function parseEvent(line: string): boolean {
  const event = eventSchema.parse(JSON.parse(line));
  return !beside.test('Action' in event ? String(event.Action) : event.status);
}

/**
 * Listens to the engine until the stream is over. End, close, error and a line that is not an event are all the same: it
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
    // A destroyed stream may still emit an error.
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
export class DockerWatch {
  private readonly heartbeatMs: number;
  private readonly listTimeoutMs: number;
  /** The back-off ends here. An engine on this machine costs little to ask and is seen back within a second. */
  private readonly longestPauseMs: number;
  private readonly closing = new AbortController();
  private readonly hint = new Hint();
  private readonly running: Promise<void>;
  private live: DockerClient | null = null;
  private dropStream: (() => void) | null = null;
  private current: DockerState;

  constructor(private readonly options: DockerWatchOptions) {
    const { host } = options;
    this.heartbeatMs = options.heartbeatMs ?? 1500;
    this.listTimeoutMs = options.listTimeoutMs ?? 3000;
    this.longestPauseMs = host.startsWith('unix:') ? 1000 : 5000;
    this.current = { connection: 'connecting', host, error: null, containers: [], listedAt: null };
    this.running = this.run();
  }

  state(): DockerState {
    return this.current;
  }

  /** Asks the engine soon, even in the middle of a pause. */
  refresh(): void {
    this.hint.give();
  }

  /** null while it is not connected. */
  client(): DockerClient | null {
    return this.live;
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.hint.give();
    await this.running;
    this.live = null;
  }

  private closed(): boolean {
    return this.closing.signal.aborted;
  }

  private pauseMs(attempt: number): number {
    return Math.min(this.longestPauseMs, backOffMs(attempt + 1));
  }

  private update(next: Partial<DockerState>): void {
    const before = this.current;
    const state = { ...before, ...next };
    this.current = state;
    if (this.closed() || isDeepStrictEqual({ ...before, listedAt: state.listedAt }, state)) return;
    this.options.emit(state);
  }

  private async list(client: DockerClient): Promise<void> {
    const found = await listContainers(client, this.options.instance, {
      signal: this.closing.signal,
      timeoutMs: this.listTimeoutMs,
    });
    this.live = client;
    const containers = found.map(({ info }) => info);
    this.update({
      connection: 'connected',
      error: null,
      containers,
      listedAt: this.options.now().toISOString(),
    });
  }

  /** Opens the event stream again and again until the signal. */
  private async streamEvents(client: DockerClient, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const startedMs = performance.now();
      const stream = { hasEvents: false };
      const { controller, dispose } = linkedAbort(signal);
      this.dropStream = () => controller.abort();
      await followEvents({
        client,
        instance: this.options.instance,
        signal: controller.signal,
        timeoutMs: this.listTimeoutMs,
        // The engine listens to itself only after it has opened the stream; the list comes after both.
        onOpen: () => this.hint.give(),
        onEvent: () => {
          stream.hasEvents = true;
          this.hint.give();
        },
      }).catch(() => undefined);
      dispose();
      if (stream.hasEvents || performance.now() - startedMs > goodStreamMs) attempt = 0;
      // A stream that is over may be the first sign of an engine that is gone.
      this.hint.give();
      await sleep(this.pauseMs(attempt), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Lists at every hint and every heartbeat. Throws when a list is not answered. */
  private async serve(client: DockerClient): Promise<void> {
    const { controller, dispose } = linkedAbort(this.closing.signal);
    const streaming = this.streamEvents(client, controller.signal);
    try {
      while (!this.closed()) {
        const hinted = await this.hint.wait(this.heartbeatMs);
        if (hinted) await sleep(gatherMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
        if (this.closed()) return;
        this.hint.take();
        const before = identity(this.current);
        await this.list(client);
        // What only the heartbeat found, the stream has kept back.
        if (!hinted && !isDeepStrictEqual(before, identity(this.current))) this.dropStream?.();
      }
    } finally {
      controller.abort();
      await streaming;
      dispose();
    }
  }

  /** One connection, until it ends. @returns whether what the daemon has was listed by it */
  private async connectOnce(): Promise<boolean> {
    let listed = false;
    try {
      const limits = { signal: this.closing.signal, timeoutMs: 5000 };
      const client = await ask(
        `connect to the Docker daemon at ${this.options.host}`,
        this.options.connect,
        limits,
      );
      await this.list(client);
      listed = true;
      await this.serve(client);
    } catch (error) {
      // One answer that fails is tried again before anybody is alarmed.
      const connection = this.live === null ? 'unavailable' : 'connecting';
      this.live = null;
      this.update({ connection, error: toWire(error) });
    }
    return listed;
  }

  private async run(): Promise<void> {
    for (let attempt = 0; !this.closed(); attempt += 1) {
      if (await this.connectOnce()) attempt = 0;
      this.hint.take();
      await sleep(shortestPauseMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
      if (!this.closed()) await this.hint.wait(Math.max(0, this.pauseMs(attempt) - shortestPauseMs));
      this.hint.take();
    }
  }
}
