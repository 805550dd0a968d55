import { largestReplyBytes, ReplyTooLarge } from '../seam/load-job';
import { grownLength, ReceiveBuffer } from '../socket/socket';
import { grpcPrefixBytes } from './request';

type MessageHandler = (buffer: Buffer, start: number, end: number) => void;

/** Takes the one message of a unary reply. Buffers are only valid during the call. */
export interface MessageSink {
  /** The message, whole. */
  readonly message: MessageHandler;
  /** A message that comes in pieces begins: whether it is to be put together; else `piece` gets it as it comes. */
  gathers(): boolean;
  readonly piece: MessageHandler;
}

/** Takes the one message of a unary reply from pieces of DATA; one that comes whole is not copied. */
export class GrpcMessageReader {
  private readonly gathered = new ReceiveBuffer();
  private wanted = 0;
  private received = 0;
  private gathers = true;

  constructor(private readonly limitBytes = largestReplyBytes) {}

  /** Forgets the reply before; to be called at the start of each. */
  reset(): void {
    this.gathered.clear();
    this.wanted = 0;
    this.received = 0;
    this.gathers = true;
  }

  /** Prefix and message together; 0 until they are known. */
  get messageBytes(): number {
    return this.wanted;
  }

  /** The message has come whole. */
  get complete(): boolean {
    return this.wanted > 0 && this.received === this.wanted;
  }

  /** Throws an Error on a compressed message, and on more than one; ReplyTooLarge. */
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

  /** Where the next `count` bytes of DATA can be read to, to be pushed as they are; null: anywhere. */
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

/** Prefix and message together. Throws an Error on a compressed message, and ReplyTooLarge. */
function totalBytes(buffer: Buffer, start: number, limitBytes: number): number {
  if (buffer[start] !== 0) throw new Error('a compressed message, although none was asked for');
  const messageBytes = buffer.readUInt32BE(start + 1);
  if (messageBytes > limitBytes) throw new ReplyTooLarge(messageBytes, limitBytes);
  return grpcPrefixBytes + messageBytes;
}

/** Cuts the DATA of a stream into its messages, wherever the pieces end; a message that comes whole is not copied. */
export class GrpcMessageSplitter {
  private kept = Buffer.alloc(0);
  private fill = 0;

  constructor(private readonly limitBytes = largestReplyBytes) {}

  /** Forgets what came before, for another stream. */
  reset(): void {
    this.fill = 0;
  }

  /** Hands over every message that is whole. Throws an Error on a compressed one, and ReplyTooLarge. */
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

  /** Takes as much as the message under way still needs, its prefix first. */
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
