/** For fewer bytes a read of their own costs more than their copy. */
const leastRoomBytes = 16 * 1024;

/** Bytes that come in pieces, put together in memory that is used again for what comes after them. */
export class GatheredBytes {
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
      this.reserve(Math.max(expected, length));
      buffer.copy(this.kept, this.filled, start, end);
    }
    this.filled = length;
  }

  /**
   * The place of the next bytes, to be read into and then handed to `add` as it is, before anything else is.
   * @param count how many will come at most.
   * @returns null: not worth it.
   */
  room(count: number): Buffer | null {
    this.lent = null;
    if (count < leastRoomBytes) return null;
    this.reserve(this.filled + count);
    this.lent = this.kept.subarray(this.filled, this.filled + count);
    return this.lent;
  }

  private reserve(length: number): void {
    if (this.kept.length >= length) return;
    const larger = Buffer.alloc(length);
    this.kept.copy(larger, 0, 0, this.filled);
    this.kept = larger;
  }
}
