import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../contract/errors';
import { LineSplitter, readGently } from '../platform/lines';
import { ask, type DockerClient, dockerError } from './client';
import { backOffMs, inspectContainer } from './container-life';

export type LogChannel = 'stdout' | 'stderr';

const headerBytes = 8;
const longestFrameBytes = 64 * 2 ** 20;

/**
 * Splits Docker's multiplexed log: 8-byte header (channel, 3 zero bytes, big-endian length) and payload (Engine API,
 * "Attach to a container"). `skip` drops bytes of an earlier stream.
 */
export class LogDemultiplexer {
  private pending: Buffer = Buffer.alloc(0);
  /** Bytes per channel, including skipped ones. */
  readonly seen: Record<LogChannel, number> = { stdout: 0, stderr: 0 };

  constructor(
    private readonly take: (channel: LogChannel, bytes: Buffer) => void,
    private readonly skip: Readonly<Record<LogChannel, number>> = { stdout: 0, stderr: 0 },
  ) {}

  /** Throws docker-failed for an invalid stream. */
  add(chunk: Buffer): void {
    this.pending = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    for (;;) {
      if (this.pending.length < headerBytes) return;
      const kind = this.pending[0] ?? 0;
      const length = this.pending.readUInt32BE(4);
      if (kind > 2 || length > longestFrameBytes) {
        throw new WorkbenchError('docker-failed', 'The log stream of the container is damaged');
      }
      if (this.pending.length < headerBytes + length) return;
      const bytes = this.pending.subarray(headerBytes, headerBytes + length);
      this.pending = this.pending.subarray(headerBytes + length);
      this.deliver(kind === 2 ? 'stderr' : 'stdout', bytes);
    }
  }

  private deliver(channel: LogChannel, bytes: Buffer): void {
    const before = this.seen[channel];
    this.seen[channel] += bytes.length;
    const known = Math.max(0, Math.min(bytes.length, this.skip[channel] - before));
    if (known < bytes.length) this.take(channel, bytes.subarray(known));
  }
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Resolves at the stream's end, for whatever reason; the caller inspects the container. */
export function readLogStream(stream: Readable, demultiplexer: LogDemultiplexer): Promise<void> {
  return new Promise((resolve, reject) => {
    const read = readGently(stream, (chunk) => {
      try {
        demultiplexer.add(chunk);
      } catch (error) {
        stream.destroy();
        reject(toError(error));
      }
    });
    void read.then(resolve);
  });
}

interface FollowLogInput {
  readonly client: DockerClient;
  readonly id: string;
  readonly onLine: (channel: LogChannel, line: string) => void;
  readonly signal: AbortSignal;
  readonly onTrouble?: ((text: string) => void) | undefined;
}

const guardMs = 3000;
/** Final output may arrive after the exit. */
const lastWordsMs = 1000;
const isRunning = (status: string) => ['running', 'paused', 'restarting', 'created'].includes(status);

async function open(input: FollowLogInput): Promise<Readable> {
  return (await ask(
    'read the log of the container',
    (abortSignal) =>
      input.client.docker
        .getContainer(input.id)
        .logs({ follow: true, stdout: true, stderr: true, abortSignal }),
    { signal: input.signal },
  )) as unknown as Readable;
}

/**
 * All lines until the container ends. A broken stream is reopened and known bytes are skipped, so no line is lost or
 * repeated. Resolves early when aborted or when the container is gone.
 */
export async function followLog(input: FollowLogInput): Promise<void> {
  const { client, id, signal } = input;
  const linesOf = (channel: LogChannel) => new LineSplitter((line) => input.onLine(channel, line));
  const lines = { stdout: linesOf('stdout'), stderr: linesOf('stderr') };
  const given: Record<LogChannel, number> = { stdout: 0, stderr: 0 };
  const stopped = () => signal.aborted;
  for (let attempt = 0; !stopped(); attempt += 1) {
    try {
      const before = await inspectContainer(client, id, signal);
      if (before === null) break;
      const stream = await open(input);
      const stop = () => {
        stream.destroy();
      };
      signal.addEventListener('abort', stop, { once: true });
      // A half-open connection never ends, so the container is polled.
      const guard = setInterval(() => {
        void inspectContainer(client, id, signal).then(
          (found) => {
            if (found !== null && isRunning(found.State.Status)) return;
            setTimeout(stop, lastWordsMs).unref();
          },
          () => undefined,
        );
      }, guardMs);
      try {
        const demultiplexer = new LogDemultiplexer(
          (channel, bytes) => {
            given[channel] += bytes.length;
            lines[channel].add(bytes);
            attempt = 0;
          },
          { ...given },
        );
        await readLogStream(stream, demultiplexer);
      } finally {
        clearInterval(guard);
        signal.removeEventListener('abort', stop);
        stream.destroy();
      }
      // A container that ended before the stream was opened has its whole log in it.
      if (!isRunning(before.State.Status)) break;
      const now = await inspectContainer(client, id, signal);
      if (now !== null && isRunning(now.State.Status)) {
        await sleep(backOffMs(attempt), undefined, { signal }).catch(() => undefined);
      }
    } catch (error) {
      if (stopped()) break;
      input.onTrouble?.(dockerError(error, 'read the log').message);
      await sleep(backOffMs(attempt), undefined, { signal }).catch(() => undefined);
    }
  }
  lines.stdout.end();
  lines.stderr.end();
}
