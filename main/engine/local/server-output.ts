import type { Readable } from 'node:stream';
import { WorkbenchError } from '../../contract/errors';
import { readGently } from '../../platform/back-pressure';
import { fileError } from '../../platform/file-error';
import { LineSplitter } from '../../platform/line-splitter';
import { LogFile } from '../../platform/log-file';
import { TritonLog } from '../triton-log';

/** After the end of the server; something that it started may hold its pipes open. */
const endPatienceMs = 500;

/**
 * What a server prints, from its pipes into its log. Pipes, not the file itself: a flood would fill the disk, while a full
 * pipe makes the server wait for the log, as a terminal would.
 */
export class ServerOutput {
  private read: Promise<unknown> = Promise.resolve();
  private streams: readonly Readable[] = [];

  private constructor(private readonly log: TritonLog) {}

  /** Appends to the log. Throws file-unwritable, disk-full: a link in its place would lead the output to another file. */
  static async open(path: string, emit: (lines: readonly string[]) => void): Promise<ServerOutput> {
    try {
      return new ServerOutput(new TritonLog(await LogFile.open(path), emit));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw fileError(error, path);
      throw new WorkbenchError('file-unwritable', `${path} is a link; the log is not written through it`, {
        where: path,
        remedy: 'Remove the link, then resume the run.',
        cause: error,
      });
    }
  }

  /** The last lines so far, oldest first. */
  tail(): readonly string[] {
    return [...this.log.tail];
  }

  /** To be called once, before the next turn of the event loop. */
  follow(...streams: readonly Readable[]): void {
    this.streams = streams;
    this.read = Promise.all(streams.map((stream) => this.readLines(stream)));
  }

  /** To be called when the server has ended: waits for the rest of what it printed. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => (timer = setTimeout(resolve, endPatienceMs)));
    await Promise.race([this.read, patience]);
    clearTimeout(timer);
    for (const stream of this.streams) stream.destroy();
    await this.read;
    await this.log.close();
  }

  private async readLines(stream: Readable): Promise<void> {
    let ready: string[] = [];
    const lines = new LineSplitter((line) => ready.push(line));
    const give = () => {
      if (ready.length > 0) this.log.add(ready);
      ready = [];
    };
    await readGently(stream, (chunk) => {
      lines.add(chunk);
      give();
    });
    lines.end();
    give();
  }
}
