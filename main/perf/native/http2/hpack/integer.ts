/** RFC 7541, 5.1: an integer that begins in the lower `prefixBits` of a byte whose upper bits are `pattern`. */
export function encodeInteger(value: number, prefixBits: number, pattern: number): number[] {
  const limit = 2 ** prefixBits - 1;
  if (value < limit) return [pattern | value];
  const bytes = [pattern | limit];
  let rest = value - limit;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return bytes;
}

/** Reads integers and raw bytes of one header block, in order. */
export class HpackCursor {
  constructor(
    readonly buffer: Uint8Array,
    public at: number,
    readonly end: number,
  ) {}

  get done(): boolean {
    return this.at >= this.end;
  }

  peek(): number {
    if (this.done) throw new Error('Header block ends too early');
    return this.buffer[this.at] ?? 0;
  }

  /** Throws when the block ends inside, or above 2^31: nothing in HTTP/2 is longer. */
  integer(prefixBits: number): number {
    const limit = 2 ** prefixBits - 1;
    let value = this.peek() & limit;
    this.at += 1;
    if (value < limit) return value;
    let weight = 1;
    for (;;) {
      const byte = this.peek();
      this.at += 1;
      value += (byte & 127) * weight;
      if (value > 2 ** 31) throw new Error('Header block with an integer that is too large');
      if (byte < 128) return value;
      weight *= 128;
    }
  }
}
