import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurn } from 'node:timers/promises';

const escape = String.fromCharCode(0x1b);
const bell = String.fromCharCode(0x07);

/**
 * Escape sequences of a terminal (ECMA-48): control sequences, strings to the terminal (titles, clipboard, device) with
 * what they carry up to their end, and the short ones.
 */
const sequences = new RegExp(
  [
    `${escape}\\[[0-?]*[ -/]*[@-~]`,
    `${escape}[\\]PX^_][^${escape}${bell}\\n]*(?:${bell}|${escape}\\\\)?`,
    `${escape}[ -/]*[0-~]`,
  ].join('|'),
  'g',
);
const anyControl = /\p{Cc}/u;
/** Control characters but the tab and the line feed. */
const control = /(?![\t\n])\p{Cc}/gu;

/** Without escape sequences and control characters; tabs and line feeds stay. For what is shown to people. */
export function cleanText(text: string): string {
  return anyControl.test(text) ? text.replace(sequences, '').replace(control, '') : text;
}

/** The same for what is one line. */
export function cleanLine(text: string): string {
  return cleanText(text).replaceAll('\n', '');
}

const mostLetters = 80;
const mostNames = 20;

/** A text of any origin as it is quoted: a file may hold one of megabytes. */
export const shortText = (text: string): string =>
  text.length <= mostLetters ? text : `${text.slice(0, mostLetters)}…`;

/** Names of any origin in a row; of more than twenty the first, and how many there are besides. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map(shortText).join(', ');
  return names.length <= mostNames ? shown : `${shown} and ${names.length - mostNames} more`;
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** A value of any origin as it is quoted; a large one by its kind, as it may be nested millions deep. */
export function shortValue(value: unknown): string {
  if (isPlain(value)) return value === undefined ? 'nothing' : shortText(JSON.stringify(value));
  if (!Array.isArray(value)) return 'an object';
  const isShort = value.length <= mostNames && value.every(isPlain);
  return isShort ? shortText(JSON.stringify(value)) : `a list of ${value.length}`;
}

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
      stream.once(event, () => resolve());
    }
  });
}

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
