import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { logPressure } from '../../platform/back-pressure';
import { LineSplitter } from '../../platform/line-splitter';

const intervalMs = 150;
const chunkBytes = 256 * 1024;
const tailLines = 60;
const maxShownBytes = 8192;

/**
 * Reads what a process appends to its log file. The process writes the file itself, so that its log is whole when the
 * workbench dies; this only shows it.
 */
export class LogFollower {
  private readonly buffer = Buffer.alloc(chunkBytes);
  private readonly recent: string[] = [];
  private ready: string[] = [];
  private readonly splitter = new LineSplitter((line) => this.ready.push(line), maxShownBytes);
  private reading: Promise<void> = Promise.resolve();
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly file: FileHandle,
    private offset: number,
    private readonly onLines: (lines: readonly string[]) => void,
  ) {
    this.timer = setInterval(() => {
      void this.catchUp();
    }, intervalMs);
  }

  /** Begins behind what the file holds already. */
  static async open(path: string, onLines: (lines: readonly string[]) => void): Promise<LogFollower> {
    const file = await open(path, 'r');
    return new LogFollower(file, (await file.stat()).size, onLines);
  }

  /** The last lines so far, oldest first. */
  tail(): readonly string[] {
    return [...this.recent];
  }

  /** Reads up to the end of the file now. */
  async catchUp(): Promise<void> {
    // A log that cannot be shown must not end the server that writes it.
    this.reading = this.reading.then(() => this.read()).catch(() => undefined);
    await this.reading;
  }

  /** To be called when the process has ended: gives out the rest and closes. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.catchUp();
    this.splitter.end();
    this.give();
    await this.file.close();
  }

  private async read(): Promise<void> {
    for (;;) {
      const { bytesRead } = await this.file.read(this.buffer, 0, chunkBytes, this.offset);
      if (bytesRead === 0) return;
      this.offset += bytesRead;
      this.splitter.add(this.buffer.subarray(0, bytesRead));
      this.give();
      await logPressure.relief();
    }
  }

  private give(): void {
    const shown = this.ready;
    if (shown.length === 0) return;
    this.ready = [];
    this.recent.push(...shown.slice(-tailLines));
    this.recent.splice(0, this.recent.length - tailLines);
    this.onLines(shown);
  }
}
