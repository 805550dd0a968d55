import type { Socket } from 'node:net';
import { readWithAtLeast } from './socket-options';

/** One read of ours. */
const markBytes = 512 * 1024;
/** Longer than this machine mostly takes for so many bytes, and short for those who wait. */
const patienceMs = 100;

/**
 * Has a large answer read in few pieces: while much of it is still to come the kernel wakes the reader for half a MiB at a time.
 * Its end is read at once, and where nothing has come for a moment, so is every byte: what is sent instead of the rest is short.
 */
export class ReceiveLowWaterMark {
  private bytes = 1;
  private possible = true;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly socket: Socket) {}

  /** After each read: so many bytes come before anything that is waited for. */
  due(bytes: number): void {
    const wanted = bytes < markBytes ? 1 : markBytes;
    if (wanted !== this.bytes) this.set(wanted);
    else if (wanted > 1) this.timer?.refresh();
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.possible = false;
  }

  private set(bytes: number): void {
    this.possible &&= readWithAtLeast(this.socket, bytes);
    if (!this.possible) return;
    this.bytes = bytes;
    if (bytes === 1) return;
    if (this.timer !== null) this.timer.refresh();
    else {
      this.timer = setTimeout(() => {
        if (this.bytes > 1) this.set(1);
      }, patienceMs);
    }
  }
}
