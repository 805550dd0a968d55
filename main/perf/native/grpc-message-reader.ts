import { GatheredBytes } from './gathered-bytes';
import { grpcPrefixBytes } from './grpc-request';

export type MessageHandler = (buffer: Buffer, start: number, end: number) => void;

/** Puts the one message of a unary reply together from pieces of DATA; a message that comes whole is not copied. */
export class GrpcMessageReader {
  private readonly gathered = new GatheredBytes();
  private wanted = 0;
  private seen = false;

  /** Forgets the reply before; to be called at the start of each. */
  reset(): void {
    this.gathered.clear();
    this.wanted = 0;
    this.seen = false;
  }

  /** Prefix and message together; 0 until they are known. */
  get messageBytes(): number {
    return this.wanted;
  }

  /** A message has been handed over. */
  get complete(): boolean {
    return this.seen;
  }

  /** Throws an Error on a compressed message, and on more than one. */
  push(buffer: Buffer, start: number, end: number, handle: MessageHandler): void {
    if (start === end) return;
    if (this.seen) throw new Error('more than one message in a unary reply');
    const { gathered } = this;
    if (gathered.length === 0 && end - start >= grpcPrefixBytes) {
      this.wanted = totalBytes(buffer, start);
      if (this.wanted === end - start) {
        this.seen = true;
        handle(buffer, start + grpcPrefixBytes, end);
        return;
      }
    }
    gathered.add(buffer, start, end, this.wanted);
    if (this.wanted === 0 && gathered.length >= grpcPrefixBytes) this.wanted = totalBytes(gathered.bytes, 0);
    if (this.wanted === 0 || gathered.length < this.wanted) return;
    if (gathered.length > this.wanted) throw new Error('more than one message in a unary reply');
    this.seen = true;
    handle(gathered.bytes, grpcPrefixBytes, this.wanted);
  }

  /** Where the next `count` bytes of DATA can be read to, to be pushed as they are; null: anywhere. */
  room(count: number): Buffer | null {
    if (this.seen || this.wanted === 0) return null;
    return this.gathered.room(Math.min(count, this.wanted - this.gathered.length));
  }
}

/** Prefix and message together. Throws an Error on a compressed message. */
export function totalBytes(buffer: Buffer, start: number): number {
  if (buffer[start] !== 0) throw new Error('a compressed message, although none was asked for');
  return grpcPrefixBytes + buffer.readUInt32BE(start + 1);
}
