import { grpcPrefixBytes } from './grpc-request';

export type MessageHandler = (buffer: Buffer, start: number, end: number) => void;

/** Puts the one message of a unary reply together from pieces of DATA; a message that comes whole is not copied. */
export class GrpcMessageReader {
  private kept = Buffer.alloc(0);
  private fill = 0;
  /** Prefix and message; 0 while the prefix has not come whole. */
  private wanted = 0;
  private seen = false;

  /** Forgets the reply before; to be called at the start of each. */
  reset(): void {
    this.fill = 0;
    this.wanted = 0;
    this.seen = false;
  }

  /** A message has been handed over. */
  get complete(): boolean {
    return this.seen;
  }

  /** Throws an Error on a compressed message, and on more than one. */
  push(buffer: Buffer, start: number, end: number, handle: MessageHandler): void {
    if (start === end) return;
    if (this.seen) throw new Error('more than one message in a unary reply');
    if (this.fill === 0 && end - start >= grpcPrefixBytes) {
      this.wanted = totalBytes(buffer, start);
      if (this.wanted === end - start) {
        this.seen = true;
        handle(buffer, start + grpcPrefixBytes, end);
        return;
      }
    }
    this.keep(buffer, start, end);
    if (this.wanted === 0 && this.fill >= grpcPrefixBytes) this.wanted = totalBytes(this.kept, 0);
    if (this.wanted === 0 || this.fill < this.wanted) return;
    if (this.fill > this.wanted) throw new Error('more than one message in a unary reply');
    this.seen = true;
    handle(this.kept, grpcPrefixBytes, this.wanted);
  }

  private keep(buffer: Buffer, start: number, end: number): void {
    const needed = Math.max(this.wanted, this.fill + end - start);
    if (this.kept.length < needed) {
      const larger = Buffer.alloc(needed);
      this.kept.copy(larger, 0, 0, this.fill);
      this.kept = larger;
    }
    buffer.copy(this.kept, this.fill, start, end);
    this.fill += end - start;
  }
}

/** Prefix and message together. Throws an Error on a compressed message. */
export function totalBytes(buffer: Buffer, start: number): number {
  if (buffer[start] !== 0) throw new Error('a compressed message, although none was asked for');
  return grpcPrefixBytes + buffer.readUInt32BE(start + 1);
}
