import { largestReplyBytes, ReplyTooLarge } from '../seam/reply-limit';
import { ReceiveBuffer } from '../socket/receive-buffer';
import { jsonLengthHeader } from './request';

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
    else if (name === 'connection')
      keepAlive =
        line
          .slice(colon + 1)
          .trim()
          .toLowerCase() !== 'close';
    else if (name === 'transfer-encoding')
      throw new Error('the server answers in chunks, which this client does not read');
  }
  if (!Number.isSafeInteger(bodyBytes) || bodyBytes < 0) throw new Error('a reply without a Content-Length');
  if (!Number.isSafeInteger(jsonBytes) || jsonBytes > bodyBytes)
    throw new Error(`a reply with a wrong ${jsonLengthHeader}`);
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
  private readonly gathered = new ReceiveBuffer();
  /** Of the reply whose body is being read; null while a head is. */
  private reply: HttpReply | null = null;
  private begun = false;

  constructor(
    private readonly sink: ReplySink,
    private readonly limitBytes = largestReplyBytes,
  ) {}

  /** Throws an Error on what is no reply, and on bytes behind it: requests are not pipelined; ReplyTooLarge. */
  push(chunk: Buffer, length: number): void {
    if (this.reply !== null) {
      this.body(this.reply, chunk, 0, length);
      return;
    }
    const first = this.gathered.length === 0;
    if (first && this.head(chunk, length)) return;
    this.gathered.add(chunk, 0, length);
    if (!first) this.head(Buffer.from(this.gathered.bytes), this.gathered.length);
  }

  /** Where the next bytes can be read to, to be pushed as they are; null: anywhere. */
  room(): Buffer | null {
    return this.reply === null ? null : this.gathered.room(this.reply.bodyBytes - this.gathered.length);
  }

  /** Reads the head and what stands behind it; false while the head is not whole. */
  private head(buffer: Buffer, length: number): boolean {
    const at = buffer.subarray(0, length).indexOf(headEnd);
    if (at < 0) {
      if (length > maxHeadBytes) throw new Error('a reply with a head of more than 64 KiB');
      return false;
    }
    const reply = parseHttpHead(buffer.toString('latin1', 0, at));
    if (reply.bodyBytes > this.limitBytes) throw new ReplyTooLarge(reply.bodyBytes, this.limitBytes);
    this.reply = reply;
    this.gathered.clear();
    this.begun = false;
    this.body(reply, buffer, at + headEnd.length, length);
    return true;
  }

  private body(reply: HttpReply, buffer: Buffer, start: number, end: number): void {
    if (!this.begun && end > start) {
      this.begun = true;
      this.sink.bodyBegins();
    }
    const { gathered } = this;
    if (gathered.length + end - start > reply.bodyBytes)
      throw new Error('bytes behind a reply that nobody asked for');
    if (gathered.length === 0 && end - start === reply.bodyBytes) {
      this.done(reply, buffer, start, end);
      return;
    }
    gathered.add(buffer, start, end, reply.bodyBytes);
    if (gathered.length === reply.bodyBytes) this.done(reply, gathered.bytes, 0, reply.bodyBytes);
  }

  private done(reply: HttpReply, buffer: Buffer, start: number, end: number): void {
    this.reply = null;
    this.gathered.clear();
    this.sink.reply(reply, buffer, start, end);
  }
}
