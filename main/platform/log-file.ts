import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder';

const escapeSequence = /\p{Cc}\[[0-9;?]*[A-Za-z]/gu;
/** Control characters but the tab: they have no place in a text that is shown. */
const control = /(?!\t)\p{Cc}/gu;

const maxBytes = 50 * 1024 * 1024;

/** A link, which only the code of a step can have put there, is not followed. */
export const plainAppend = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** Lines of one step's log, in the order given; capped at 50 MiB, with a note where it was cut. */
export class LogFile {
  private tail: Promise<void> = Promise.resolve();
  private written = 0;
  private capped = false;

  private constructor(private readonly file: FileHandle) {}

  static async open(path: string): Promise<LogFile> {
    await makeFolder(dirname(path));
    return new LogFile(await open(path, plainAppend));
  }

  /** Cleans the lines, queues them for the file and gives the clean ones back for showing. */
  add(lines: readonly string[]): readonly string[] {
    const clean = lines.map((line) => line.replace(escapeSequence, '').replace(control, ''));
    const text = `${clean.join('\n')}\n`;
    this.written += text.length;
    if (this.written > maxBytes) {
      if (!this.capped) this.write('… the log is longer than 50 MiB; the rest is not kept\n');
      this.capped = true;
    } else {
      this.write(text);
    }
    return clean;
  }

  async close(): Promise<void> {
    await this.tail;
    await this.file.close();
  }

  private write(text: string): void {
    // A log that cannot be written must not end a run whose journal can.
    this.tail = this.tail.then(() => this.file.appendFile(text)).catch(() => undefined);
  }
}
