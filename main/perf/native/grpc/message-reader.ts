import { largestReplyBytes, ReplyTooLarge } from '../seam/load-job';
import { grownLength, ReceiveBuffer } from '../socket/socket';
import { grpcPrefixBytes } from './request';

type MessageHandler = (buffer: Buffer, start: number, end: number) => void;

/** Receives the message of a unary reply. Buffers are only valid during the call. */
export interface MessageSink {
  readonly message: MessageHandler;
  /** At the start of a fragmented message: true to assemble it, false to get `piece`s. */
  gathers(): boolean;
  readonly piece: MessageHandler;
}

/** Reads the only message of a unary reply from DATA; avoids copies of unfragmented ones. */
export class GrpcMessageReader {
  private readonly gathered = new ReceiveBuffer();
  private wanted = 0;
  private received = 0;
  private gathers = true;

  constructor(private readonly limitBytes = largestReplyBytes) {}

  /** Call at the start of each reply. */
  reset(): void {
    this.gathered.clear();
    this.wanted = 0;
    this.received = 0;
    this.gathers = true;
  }

  /** Bytes of prefix and message; 0 while unknown. */
  get messageBytes(): number {
    return this.wanted;
  }

  get complete(): boolean {
    return this.wanted > 0 && this.received === this.wanted;
  }

  /** Throws an Error for compressed or several messages; ReplyTooLarge. */
  push(buffer: Buffer, start: number, end: number, sink: MessageSink): void {
    if (start === end) return;
    this.received += end - start;
    if (this.wanted > 0 && this.received > this.wanted) throw tooMany();
    if (this.wanted > 0 && !this.gathers) {
      sink.piece(buffer, start, end);
      return;
    }
    const { gathered } = this;
    if (gathered.length === 0 && this.received >= grpcPrefixBytes) {
      this.learn(buffer, start, sink);
      if (this.complete) sink.message(buffer, start + grpcPrefixBytes, end);
      else if (this.gathers) gathered.add(buffer, start, end, this.wanted);
      else sink.piece(buffer, start + grpcPrefixBytes, end);
      return;
    }
    gathered.add(buffer, start, end, this.wanted);
    if (this.received < grpcPrefixBytes) return;
    if (this.wanted === 0) this.learn(gathered.bytes, 0, sink);
    if (!this.gathers) sink.piece(gathered.bytes, grpcPrefixBytes, this.received);
    else if (this.complete) sink.message(gathered.bytes, grpcPrefixBytes, this.wanted);
  }

  /** Where to read the next `count` bytes of DATA, which are then pushed unchanged; null: anywhere. */
  room(count: number): Buffer | null {
    if (this.complete || this.wanted === 0 || !this.gathers) return null;
    return this.gathered.room(Math.min(count, this.wanted - this.received));
  }

  private learn(buffer: Buffer, start: number, sink: MessageSink): void {
    this.wanted = totalBytes(buffer, start, this.limitBytes);
    if (this.received > this.wanted) throw tooMany();
    if (!this.complete) this.gathers = sink.gathers();
  }
}

const tooMany = () => new Error('more than one message in a unary reply');

/** Prefix and message. Throws an Error for compressed messages, and ReplyTooLarge. */
function totalBytes(buffer: Buffer, start: number, limitBytes: number): number {
  if (buffer[start] !== 0) throw new Error('a compressed message, although none was asked for');
  const messageBytes = buffer.readUInt32BE(start + 1);
  if (messageBytes > limitBytes) throw new ReplyTooLarge(messageBytes, limitBytes);
  return grpcPrefixBytes + messageBytes;
}

/** Splits a stream's DATA into messages; avoids copies of unfragmented ones. */
export class GrpcMessageSplitter {
  private kept = Buffer.alloc(0);
  private fill = 0;

  constructor(private readonly limitBytes = largestReplyBytes) {}

  /** Resets for another stream. */
  reset(): void {
    this.fill = 0;
  }

  /** Passes on complete messages. Throws an Error for compressed ones, and ReplyTooLarge. */
  push(buffer: Buffer, start: number, end: number, handle: MessageHandler): void {
    let at = start;
    while (at < end) {
      if (this.fill === 0 && end - at >= grpcPrefixBytes) {
        const total = totalBytes(buffer, at, this.limitBytes);
        if (total <= end - at) {
          handle(buffer, at + grpcPrefixBytes, at + total);
          at += total;
          continue;
        }
      }
      at += this.keep(buffer, at, end);
      if (this.fill < grpcPrefixBytes) continue;
      const total = totalBytes(this.kept, 0, this.limitBytes);
      if (this.fill < total) continue;
      this.fill = 0;
      handle(this.kept, grpcPrefixBytes, total);
    }
  }

  /** Buffers what the current message still needs, prefix first. */
  private keep(buffer: Buffer, at: number, end: number): number {
    const wanted = this.fill < grpcPrefixBytes ? grpcPrefixBytes : totalBytes(this.kept, 0, this.limitBytes);
    const take = Math.min(wanted - this.fill, end - at);
    const needed = this.fill + take;
    if (this.kept.length < needed) {
      const larger = Buffer.alloc(grownLength(needed, wanted));
      this.kept.copy(larger, 0, 0, this.fill);
      this.kept = larger;
    }
    buffer.copy(this.kept, this.fill, at, at + take);
    this.fill += take;
    return take;
  }
}
