import { ReplyTooLarge } from '../seam/load-job';
import { parseReplyHead, type ReplyHead } from './reply-head';

const maxHeadBytes = 64 * 1024;
const headEnd = Buffer.from('\r\n\r\n', 'latin1');
const lineEnd = 0x0a;
/** A chunk's size in hexadecimal with its extensions. */
const maxSizeLineBytes = 1024;

interface BodySink {
  head(head: ReplyHead): void;
  /** A piece of the body; only valid during the call. */
  body(buffer: Buffer, start: number, end: number): void;
  /** The reply is complete. */
  end(): void;
}

/** Takes replies apart whose bodies have a length, come in chunks, or end with the connection. */
export class BodyReader {
  private state: 'head' | 'body' | 'size' | 'chunk' | 'chunk-end' | 'trailers' = 'head';
  private kept = Buffer.alloc(0);
  private left = 0;
  private received = 0;
  private untilClose = false;

  constructor(
    private readonly sink: BodySink,
    private readonly limitBytes: number,
  ) {}

  /** Throws an Error for an invalid reply and for bytes after its end; ReplyTooLarge. */
  push(buffer: Buffer, length: number): void {
    let at = 0;
    while (at < length) at = this.step(buffer, at, length);
  }

  /** The connection was closed. @returns whether that completes the reply */
  closed(): boolean {
    if (!this.untilClose || this.state !== 'body') return false;
    this.finish();
    return true;
  }

  /** Between two replies. */
  get isBetween(): boolean {
    return this.state === 'head' && this.kept.length === 0;
  }

  private step(buffer: Buffer, at: number, end: number): number {
    switch (this.state) {
      case 'head':
        return this.head(buffer, at, end);
      case 'body':
      case 'chunk':
        return this.content(buffer, at, end);
      case 'size':
      case 'chunk-end':
      case 'trailers':
        return this.line(buffer, at, end);
    }
  }

  private head(buffer: Buffer, at: number, end: number): number {
    const before = this.kept.length;
    const whole = Buffer.concat([this.kept, buffer.subarray(at, end)]);
    const found = whole.indexOf(headEnd);
    if (found < 0) {
      if (whole.length > maxHeadBytes) throw new Error('a reply with a head of more than 64 KiB');
      this.kept = whole;
      return end;
    }
    this.kept = Buffer.alloc(0);
    const { framing, ...head } = parseReplyHead(whole.toString('latin1', 0, found));
    const next = at + found + headEnd.length - before;
    // An interim reply comes before the reply itself.
    if (head.status < 200) return next;
    this.received = 0;
    this.untilClose = framing.kind === 'close';
    this.left = framing.kind === 'length' ? framing.bytes : Infinity;
    this.state = framing.kind === 'chunks' ? 'size' : 'body';
    this.sink.head(head);
    if (this.left === 0) this.finish();
    return next;
  }

  private content(buffer: Buffer, at: number, end: number): number {
    const take = Math.min(this.left, end - at);
    this.received += take;
    if (this.received > this.limitBytes) throw new ReplyTooLarge(this.received, this.limitBytes);
    this.left -= take;
    this.sink.body(buffer, at, at + take);
    if (this.left === 0) {
      if (this.state === 'chunk') this.state = 'chunk-end';
      else this.finish();
    }
    return at + take;
  }

  /** Takes a line, or keeps its beginning. */
  private line(buffer: Buffer, at: number, end: number): number {
    const received = buffer.subarray(at, end);
    const found = received.indexOf(lineEnd);
    const isWhole = found >= 0;
    const line = Buffer.concat([this.kept, isWhole ? received.subarray(0, found) : received]);
    if (line.length > maxSizeLineBytes) throw new Error('a line of more than 1 KiB between chunks');
    this.kept = isWhole ? Buffer.alloc(0) : line;
    if (!isWhole) return end;
    this.lineEnded(line.toString('latin1').trimEnd());
    return at + found + 1;
  }

  private lineEnded(text: string): void {
    if (this.state === 'chunk-end') {
      if (text !== '') throw new Error('a chunk that is longer than its size');
      this.state = 'size';
    } else if (this.state === 'size') {
      const [, size] = /^([\da-f]{1,8})\s*(?:;|$)/i.exec(text) ?? [];
      if (size === undefined) throw new Error('a chunk without a size');
      this.left = Number.parseInt(size, 16);
      this.state = this.left === 0 ? 'trailers' : 'chunk';
    } else if (text === '') this.finish();
  }

  private finish(): void {
    this.state = 'head';
    this.left = 0;
    this.sink.end();
  }
}
