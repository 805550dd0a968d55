import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** What waits for the disk, over all logs of this process; whoever feeds them asks for relief before it reads on. */
export class BackPressure {
  private waiting = 0;
  private released: (() => void)[] = [];

  constructor(private readonly limitBytes: number) {}

  get waitingBytes(): number {
    return this.waiting;
  }

  add(bytes: number): void {
    this.waiting += bytes;
  }

  done(bytes: number): void {
    this.waiting -= bytes;
    if (this.waiting > this.limitBytes) return;
    const { released } = this;
    this.released = [];
    for (const release of released) release();
  }

  /** Resolves once there is room, and never in this turn of the event loop: others have theirs under a flood. */
  async relief(): Promise<void> {
    await nextTurn();
    while (this.waiting > this.limitBytes) {
      await new Promise<void>((resolve) => this.released.push(resolve));
    }
  }
}

/** Of the log files: a full pipe stops the child that fills it, as a terminal would. */
export const logPressure = new BackPressure(1024 * 1024);

/** Reads the stream to its end, however that comes, a chunk a turn, and pauses it while the logs have no room. */
export function readGently(stream: Readable, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      stream.pause();
      void logPressure.relief().then(() => stream.resume());
      take(chunk);
    });
    for (const event of ['end', 'close', 'error', 'aborted']) {
      stream.once(event, () => {
        resolve();
      });
    }
  });
}
