import { Worker } from 'node:worker_threads';

const tickMs = 10;
/** A tick that comes later than this was kept from coming. */
const lateMs = 30;

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/**
 * Ticks, adds up the gaps of its thread in `pulse[0]` and has in `pulse[1]` when it ticked last. Its text runs in another
 * thread as well: it may use nothing from outside.
 */
function beat(pulse: Float64Array, everyMs: number, gapFromMs: number): NodeJS.Timeout {
  const presentMs = () => Number(process.hrtime.bigint()) / 1e6;
  pulse[1] = presentMs();
  return setInterval(() => {
    const tickedMs = presentMs();
    const gapMs = tickedMs - (pulse[1] ?? tickedMs);
    if (gapMs > gapFromMs) pulse[0] = (pulse[0] ?? 0) + gapMs;
    pulse[1] = tickedMs;
  }, everyMs);
}

/** For how long the thread of a pulse has stood still, a standstill that lasts included. In milliseconds. */
function stillMs([gapsMs = 0, tickedMs = 0]: Float64Array): number {
  const lastingMs = tickedMs === 0 ? 0 : nowMs() - tickedMs;
  return gapsMs + (lastingMs > lateMs ? lastingMs : 0);
}

/**
 * For how long the thread of the tests has stood still, and another one that has nothing to do: what both did was the
 * machine's, the rest the work of the tests and of what they test.
 */
export class Standstill {
  private readonly here = new Float64Array(2);
  private readonly there = new Float64Array(new SharedArrayBuffer(16));
  private readonly timer = beat(this.here, tickMs, lateMs);
  private readonly worker = new Worker(
    `(${beat.toString()})(require('node:worker_threads').workerData, ${tickMs}, ${lateMs})`,
    { eval: true, workerData: this.there },
  );

  /** Since it began, in milliseconds. */
  read(): { readonly hereMs: number; readonly thereMs: number } {
    return { hereMs: stillMs(this.here), thereMs: stillMs(this.there) };
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.worker.terminate();
  }
}
