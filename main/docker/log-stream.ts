import type { Readable } from 'node:stream';
import { WorkbenchError } from '../contract/errors';
import { readGently } from '../platform/back-pressure';

export type LogChannel = 'stdout' | 'stderr';

const headerBytes = 8;
const longestFrameBytes = 64 * 2 ** 20;

/**
 * Takes Docker's multiplexed log apart: frames of an 8-byte header (channel, 3 zero bytes, length big-endian) and that
 * many bytes (Engine API, "Attach to a container"). `skip` passes over bytes that an earlier stream gave.
 */
export class LogDemultiplexer {
  private pending: Buffer = Buffer.alloc(0);
  /** Bytes of each channel that came, skipped ones included. */
  readonly seen: Record<LogChannel, number> = { stdout: 0, stderr: 0 };

  constructor(
    private readonly take: (channel: LogChannel, bytes: Buffer) => void,
    private readonly skip: Readonly<Record<LogChannel, number>> = { stdout: 0, stderr: 0 },
  ) {}

  /** Throws docker-failed for what is no such stream. */
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

/** Feeds the stream to the demultiplexer; resolves at its end, however it came: the caller looks at the container. */
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
