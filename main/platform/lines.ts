import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurn } from 'node:timers/promises';

const escape = String.fromCharCode(0x1b);
const bell = String.fromCharCode(0x07);

/** ECMA-48 escape sequences: control sequences, strings with payload (titles, clipboard), and short ones. */
const sequences = new RegExp(
  [
    `${escape}\\[[0-?]*[ -/]*[@-~]`,
    `${escape}[\\]PX^_][^${escape}${bell}\\n]*(?:${bell}|${escape}\\\\)?`,
    `${escape}[ -/]*[0-~]`,
  ].join('|'),
  'g',
);
const anyControl = /\p{Cc}/u;
/** Control characters except tab and line feed. */
const control = /(?![\t\n])\p{Cc}/gu;

/** Removes escape sequences and control characters except tabs and line feeds. */
export function cleanText(text: string): string {
  return anyControl.test(text) ? text.replace(sequences, '').replace(control, '') : text;
}

/** For a single line. */
export function cleanLine(text: string): string {
  return cleanText(text).replaceAll('\n', '');
}

const mostLetters = 80;
const mostNames = 20;

/** Shortened for quoting. */
export const shortText = (text: string): string =>
  text.length <= mostLetters ? text : `${text.slice(0, mostLetters)}…`;

/** Lists up to twenty names, and counts the rest. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map(shortText).join(', ');
  return names.length <= mostNames ? shown : `${shown} and ${names.length - mostNames} more`;
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Shortened for quoting; large values by type, as they may be deeply nested. */
export function shortValue(value: unknown): string {
  if (isPlain(value)) return value === undefined ? 'nothing' : shortText(JSON.stringify(value));
  if (!Array.isArray(value)) return 'an object';
  const isShort = value.length <= mostNames && value.every(isPlain);
  return isShort ? shortText(JSON.stringify(value)) : `a list of ${value.length}`;
}

/** Bytes waiting for the disk, over all logs; producers await `relief` before reading on. */
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

  /** Resolves when there is room, in a later turn of the event loop, so that others run during a flood. */
  async relief(): Promise<void> {
    await nextTurn();
    while (this.waiting > this.limitBytes) {
      await new Promise<void>((resolve) => this.released.push(resolve));
    }
  }
}

/** Log back-pressure: a full pipe blocks the child, like a terminal. */
export const logPressure = new BackPressure(1024 * 1024);

/** Reads to the end, one chunk per turn, pausing while logs are full. */
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

/** Longer lines are truncated. */
export const maxLineBytes = 65_536;

const lineFeed = 10;
const carriageReturn = 13;

/** Splits at LF, CR LF or CR in bounded memory, since V8 strings end at 512 MiB. Truncated lines state missing bytes. */
export class LineSplitter {
  private parts: Buffer[] = [];
  private keptBytes = 0;
  private droppedBytes = 0;
  /** A following LF belongs to the last CR. */
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
    // Copied, because a slice would retain the whole chunk.
    const room = this.limitBytes - this.keptBytes;
    if (at < chunk.length) this.keep(Buffer.from(chunk.subarray(at, at + room)), chunk.length - at);
  }

  /** Flushes a last line without an end. */
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
      // Drops a character that was cut.
      const text = new StringDecoder('utf8').write(bytes);
      this.take(`${text} … (${dropped.toLocaleString('en-US')} more bytes of this line are not kept)`);
    }
  }
}
