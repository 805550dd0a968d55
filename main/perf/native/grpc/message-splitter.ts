import { largestReplyBytes } from '../seam/reply-limit';
import { grownLength } from '../socket/receive-buffer';
import type { MessageHandler } from './message-reader';
import { totalBytes } from './message-reader';
import { grpcPrefixBytes } from './request';

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
