import { StringDecoder } from 'node:string_decoder';

/** Of one line; what comes after is counted and not kept. */
export const maxLineBytes = 65_536;

const lineFeed = 10;
const carriageReturn = 13;

/**
 * Bytes -> lines, ended by LF, CR LF or CR. Holds no more than the limit of a line, however long it is: a string of V8 ends
 * at 512 MiB, and a line that passes that would end the process. A cut line says how many bytes are missing.
 */
export class LineSplitter {
  private parts: Buffer[] = [];
  private keptBytes = 0;
  private droppedBytes = 0;
  /** The last byte was a CR: an LF that follows belongs to it. */
  private afterReturn = false;

  constructor(
    private readonly take: (line: string) => void,
    private readonly limitBytes: number = maxLineBytes,
  ) {}

  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    let at = this.afterReturn && chunk[0] === lineFeed ? 1 : 0;
    this.afterReturn = false;
    let returnAt = chunk.indexOf(carriageReturn, at);
    for (;;) {
      const feedAt = chunk.indexOf(lineFeed, at);
      if (returnAt !== -1 && returnAt < at) returnAt = chunk.indexOf(carriageReturn, at);
      const end = feedAt === -1 || (returnAt !== -1 && returnAt < feedAt) ? returnAt : feedAt;
      if (end === -1) break;
      this.keep(chunk.subarray(at, end));
      this.give();
      at = end + 1;
      if (end !== returnAt) continue;
      if (at === chunk.length) this.afterReturn = true;
      else if (chunk[at] === lineFeed) at += 1;
    }
    // A copy: a part of the chunk would hold the whole of it.
    const room = this.limitBytes - this.keptBytes;
    if (at < chunk.length) this.keep(Buffer.from(chunk.subarray(at, at + room)), chunk.length - at);
  }

  /** The last line may have no end. */
  end(): void {
    if (this.keptBytes > 0) this.give();
  }

  private keep(bytes: Buffer, cameBytes = bytes.length): void {
    const kept = bytes.subarray(0, this.limitBytes - this.keptBytes);
    if (kept.length > 0) this.parts.push(kept);
    this.keptBytes += kept.length;
    this.droppedBytes += cameBytes - kept.length;
  }

  private give(): void {
    const [first = Buffer.alloc(0)] = this.parts;
    const bytes = this.parts.length > 1 ? Buffer.concat(this.parts) : first;
    const dropped = this.droppedBytes;
    this.parts = [];
    this.keptBytes = 0;
    this.droppedBytes = 0;
    if (dropped === 0) {
      this.take(bytes.toString('utf8'));
    } else {
      // The decoder keeps back a character that the cut went through.
      const text = new StringDecoder('utf8').write(bytes);
      this.take(`${text} … (${dropped.toLocaleString('en-US')} more bytes of this line are not kept)`);
    }
  }
}
