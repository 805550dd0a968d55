import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './files';
import { cleanLine, logPressure } from './lines';

/** Limit of the file, over all attempts. */
const maxBytes = 50 * 1024 * 1024;
/** Last lines kept beyond the limit, which usually have the error. */
const lastLines = 100;
const lastBytes = 64 * 1024;

/** Does not follow links, which only step code could have created. */
const plainAppend = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

const count = (value: number) => value.toLocaleString('en-US');

/** A log capped at 50 MiB, with a count of omitted lines. Pending data in `logPressure` pause its sources. */
export class LogFile {
  private waiting: string[] = [];
  private waitingBytes = 0;
  private writing: Promise<void> | null = null;
  private capped = false;
  private readonly leftOut = { lines: 0, bytes: 0 };
  private last: string[] = [];

  private constructor(
    private readonly file: FileHandle,
    private size: number,
  ) {}

  /** Appends; `truncate` starts over. */
  static async open(path: string, options: { readonly truncate?: boolean } = {}): Promise<LogFile> {
    await makeFolder(dirname(path));
    const file = await open(path, options.truncate === true ? plainAppend | constants.O_TRUNC : plainAppend);
    return new LogFile(file, (await file.stat()).size);
  }

  /** Queues sanitized lines, and returns them. */
  add(lines: readonly string[]): readonly string[] {
    const clean = lines.map(cleanLine);
    for (const line of clean) this.keep(line);
    return clean;
  }

  async close(): Promise<void> {
    if (this.leftOut.lines > 0) this.writeLast();
    await this.writing;
    await this.file.close();
  }

  private keep(line: string): void {
    const bytes = Buffer.byteLength(line) + 1;
    if (!this.capped && this.size + bytes > maxBytes) {
      this.capped = true;
      this.write('… the log is longer than 50 MiB; the rest is not kept\n');
    }
    if (!this.capped) {
      this.write(`${line}\n`);
      return;
    }
    this.leftOut.lines += 1;
    this.leftOut.bytes += bytes;
    this.last.push(line);
    if (this.last.length >= 2 * lastLines) this.last = this.last.slice(-lastLines);
  }

  private writeLast(): void {
    let bytes = 0;
    const fit: string[] = [];
    for (const line of this.last.slice(-lastLines).reverse()) {
      bytes += Buffer.byteLength(line) + 1;
      if (bytes > lastBytes) {
        bytes -= Buffer.byteLength(line) + 1;
        break;
      }
      fit.unshift(line);
    }
    const lines = `${count(this.leftOut.lines - fit.length)} lines (${count(this.leftOut.bytes - bytes)} bytes)`;
    this.write(`… ${lines} are left out here; the last ${fit.length} lines follow\n`);
    for (const line of fit) this.write(`${line}\n`);
  }

  private write(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.size += bytes;
    this.waiting.push(text);
    this.waitingBytes += bytes;
    logPressure.add(bytes);
    this.writing ??= this.drain();
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const text = this.waiting.join('');
      const bytes = this.waitingBytes;
      this.waiting = [];
      this.waitingBytes = 0;
      // A failed log write must not end the run.
      await this.file.appendFile(text).catch(() => undefined);
      logPressure.done(bytes);
    }
    this.writing = null;
  }
}
