import { jsonLengthHeader } from './http1-request';

const maxHeadBytes = 64 * 1024;
const headEnd = Buffer.from('\r\n\r\n', 'latin1');

export interface HttpReply {
  readonly status: number;
  /** Length of the JSON before the raw tensors; -1 when the reply is JSON altogether. */
  readonly jsonBytes: number;
  readonly bodyBytes: number;
  readonly keepAlive: boolean;
}

/** `head` ends with the empty line. Throws an Error on anything but a reply with a Content-Length. */
export function parseHttpHead(head: string): HttpReply {
  const lines = head.split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})(?: |$)/.exec(lines[0] ?? '')?.[1];
  if (status === undefined) throw new Error('the server does not answer with HTTP/1.1');
  let bodyBytes = -1;
  let jsonBytes = -1;
  let keepAlive = true;
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (name === 'content-length') bodyBytes = Number(line.slice(colon + 1));
    else if (name === lowerJsonLengthHeader) jsonBytes = Number(line.slice(colon + 1));
    else if (name === 'connection') keepAlive = line.slice(colon + 1).trim().toLowerCase() !== 'close';
    else if (name === 'transfer-encoding') throw new Error('the server answers in chunks, which this client does not read');
  }
  if (!Number.isSafeInteger(bodyBytes) || bodyBytes < 0) throw new Error('a reply without a Content-Length');
  if (!Number.isSafeInteger(jsonBytes) || jsonBytes > bodyBytes) throw new Error(`a reply with a wrong ${jsonLengthHeader}`);
  return { status: Number(status), jsonBytes, bodyBytes, keepAlive };
}

const lowerJsonLengthHeader = jsonLengthHeader.toLowerCase();

export interface ReplySink {
  /** The first bytes of the body are there. */
  bodyBegins(): void;
  /** The body, whole; only valid during the call. */
  reply(reply: HttpReply, buffer: Buffer, start: number, end: number): void;
}

/** Cuts the bytes of a keep-alive connection into replies, wherever the pieces end. */
export class HttpReplyReader {
  private kept = Buffer.alloc(0);
  private fill = 0;
  private reply: HttpReply | null = null;

  constructor(private readonly sink: ReplySink) {}

  /** Throws an Error on what is no reply. */
  push(chunk: Buffer, length: number): void {
    if (this.reply === null && this.fill === 0) {
      const body = this.head(chunk, 0, length);
      if (this.reply !== null && body >= 0 && length - body >= this.bodyBytes()) {
        this.done(chunk, body, body + this.bodyBytes());
        const rest = length - this.lastEnd;
        if (rest > 0) throw new Error('bytes behind a reply that nobody asked for');
        return;
      }
      this.keep(chunk, body >= 0 ? body : 0, length);
      return;
    }
    this.keep(chunk, 0, length);
    if (this.reply === null) {
      const body = this.head(this.kept, 0, this.fill);
      if (body < 0) return;
      this.kept.copyWithin(0, body, this.fill);
      this.fill -= body;
    }
    const bytes = this.bodyBytes();
    if (this.fill > bytes) throw new Error('bytes behind a reply that nobody asked for');
    if (this.fill === bytes) this.done(this.kept, 0, bytes);
  }

  private lastEnd = 0;

  private bodyBytes(): number {
    return this.reply?.bodyBytes ?? 0;
  }

  /** Start of the body, or -1 while the head is not whole. */
  private head(buffer: Buffer, start: number, end: number): number {
    const at = buffer.subarray(start, end).indexOf(headEnd);
    if (at < 0) {
      if (end - start > maxHeadBytes) throw new Error('a reply with a head of more than 64 KiB');
      return -1;
    }
    this.reply = parseHttpHead(buffer.toString('latin1', start, start + at));
    const body = start + at + headEnd.length;
    if (body < end) this.sink.bodyBegins();
    else this.bodyPending = true;
    return body;
  }

  private bodyPending = false;

  private keep(chunk: Buffer, start: number, end: number): void {
    if (this.bodyPending && end > start) {
      this.bodyPending = false;
      this.sink.bodyBegins();
    }
    const needed = Math.max(this.bodyBytes(), this.fill + end - start);
    if (this.kept.length < needed) {
      const larger = Buffer.alloc(needed);
      this.kept.copy(larger, 0, 0, this.fill);
      this.kept = larger;
    }
    chunk.copy(this.kept, this.fill, start, end);
    this.fill += end - start;
  }

  private done(buffer: Buffer, start: number, end: number): void {
    const { reply } = this;
    this.reply = null;
    this.fill = 0;
    this.bodyPending = false;
    this.lastEnd = end;
    if (reply !== null) this.sink.reply(reply, buffer, start, end);
  }
}
