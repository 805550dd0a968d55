/** For fewer bytes a read of their own costs more than their copy. */
const leastRoomBytes = 16 * 1024;
/** A length that is announced is believed up to here; memory for more is there once as much has come. */
const believedBytes = 64 * 2 ** 20;

/** How long a buffer becomes that needs `needed` bytes now and is announced to need `expected`. */
export function grownLength(needed: number, expected: number): number {
  return Math.max(needed, Math.min(expected, Math.max(believedBytes, 2 * needed)));
}

/** Bytes that come in pieces, put together in memory that is used again for what comes after them. */
export class ReceiveBuffer {
  private kept = Buffer.alloc(0);
  private filled = 0;
  private lent: Buffer | null = null;

  /** What has come; only valid until the next `clear`. */
  get bytes(): Buffer {
    return this.kept.subarray(0, this.filled);
  }

  get length(): number {
    return this.filled;
  }

  clear(): void {
    this.filled = 0;
  }

  /** @param expected how long the whole will be at least, as far as that is known. */
  add(buffer: Buffer, start: number, end: number, expected = 0): void {
    const length = this.filled + end - start;
    // What was read to its place is there already.
    if (buffer !== this.lent) {
      this.reserve(length, expected);
      buffer.copy(this.kept, this.filled, start, end);
    }
    this.filled = length;
  }

  /**
   * The place of the next bytes, to be read into and then handed to `add` as it is, before anything else is.
   * @param count how many will come at most; the place may be shorter.
   * @returns null: not worth it.
   */
  room(count: number): Buffer | null {
    this.lent = null;
    if (count < leastRoomBytes) return null;
    this.reserve(this.filled + leastRoomBytes, this.filled + count);
    this.lent = this.kept.subarray(this.filled, this.filled + count);
    return this.lent;
  }

  private reserve(needed: number, expected: number): void {
    if (this.kept.length >= needed) return;
    const larger = Buffer.alloc(grownLength(needed, expected));
    this.kept.copy(larger, 0, 0, this.filled);
    this.kept = larger;
  }
}
