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

/** Before API 1.52 events have `status` and `id` beside `Action` and `Actor` (Engine API version history). */
const eventSchema = z.union([
  z.looseObject({ Action: z.string(), Actor: z.looseObject({ ID: z.string() }) }),
  z.looseObject({ status: z.string(), id: z.string() }),
]);

/** Actions inside containers, which do not affect the list. */
const beside = /^(?:exec_|top$|attach$|resize$)/;

interface FollowEventsInput {
  readonly client: DockerClient;
  readonly instance: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onOpen: () => void;
  /** A container of this instance changed. */
  readonly onEvent: () => void;
}

/** Whether the line reports a change. Throws for invalid lines. */
export function parseEvent(line: string): boolean {
  const event = eventSchema.parse(JSON.parse(line));
  return !beside.test('Action' in event ? String(event.Action) : event.status);
}

/** Resolves at the end, on errors and invalid lines alike: the next list has the state. Throws if it cannot open. */
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
      // Limited to 64 KiB; truncated lines are invalid JSON.
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

/** Debounces bursts of events. */
const gatherMs = 50;
/** Minimum pause between connection attempts. */
const shortestPauseMs = 250;
/** A stream that lasted this long or had events resets the back-off. */
const goodStreamMs = 10_000;

interface DockerWatchOptions {
  readonly connect: (signal: AbortSignal) => Promise<DockerClient>;
  readonly instance: string;
  /** Address as typed. */
  readonly host: string;
  /** Called for each state that differs in more than its time. */
  readonly emit: (state: DockerState) => void;
  readonly now: () => Date;
  /** Poll interval, because half-open streams are silent. */
  readonly heartbeatMs?: number;
  readonly listTimeoutMs?: number;
}

/** Coalescing signal that is never lost. */
class Hint {
  private given = false;
  private waker = new AbortController();

  give(): void {
    this.given = true;
    this.waker.abort();
  }

  /** True at a hint, earlier or now; false after the timeout. */
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
 * Mirrors the container list through connection failures until `close`. Only lists are trusted; events trigger them.
 * Connected means that the last list succeeded; otherwise the last known containers are kept.
 */
export class DockerWatch {
  private readonly heartbeatMs: number;
  private readonly listTimeoutMs: number;
  /** Maximum back-off; short for local engines, which are cheap to poll. */
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

  /** Polls soon, ending a pause. */
  refresh(): void {
    this.hint.give();
  }

  /** null unless connected. */
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

  /** Reopens the event stream until the signal fires. */
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
        // Docker subscribes after opening the stream, so a list follows both.
        onOpen: () => this.hint.give(),
        onEvent: () => {
          stream.hasEvents = true;
          this.hint.give();
        },
      }).catch(() => undefined);
      dispose();
      if (stream.hasEvents || performance.now() - startedMs > goodStreamMs) attempt = 0;
      // The stream's end may mean that the engine is gone.
      this.hint.give();
      await sleep(this.pauseMs(attempt), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Lists at hints and heartbeats. Throws if a list fails. */
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
        // The event stream missed it: reopen.
        if (!hinted && !isDeepStrictEqual(before, identity(this.current))) this.dropStream?.();
      }
    } finally {
      controller.abort();
      await streaming;
      dispose();
    }
  }

  /** One connection. @returns whether a list succeeded */
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
      // A first failure is retried before it is reported.
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
