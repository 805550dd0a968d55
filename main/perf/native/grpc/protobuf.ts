/** Protocol buffers wire types of inference requests. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Integers from 0 to 2^53 - 1. */
export function encodeVarint(value: number): Buffer {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not an unsigned integer`);
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** Tag and length of field `number`. */
export function encodeBytesHead(number: number, length: number): Buffer {
  return Buffer.concat([encodeVarint(number * 8 + wireType.bytes), encodeVarint(length)]);
}

export function encodeBytesField(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([encodeBytesHead(number, bytes.byteLength), bytes]);
}

export function encodeStringField(number: number, text: string): Buffer {
  return encodeBytesField(number, Buffer.from(text, 'utf8'));
}

/** Iterates over a message's fields in place; throws an Error for invalid bytes. */
export class ProtobufReader {
  /** Current field, set by `next`. */
  number = 0;
  wire = 0;
  /** Content bounds of a length-delimited field. */
  start = 0;
  end = 0;
  /** Value of a varint field; inexact above 2^53. */
  value = 0;

  private buffer: Buffer = Buffer.alloc(0);
  private at = 0;
  private limit = 0;
  private until = 0;

  /** @param until end of the message, if bytes from `end` on are not in the buffer yet; a field may then end beyond it */
  open(buffer: Buffer, start: number, end: number, until = end): this {
    this.buffer = buffer;
    this.at = start;
    this.limit = end;
    this.until = until;
    return this;
  }

  get position(): number {
    return this.at;
  }

  /** Advances; false at the end. */
  next(): boolean {
    if (this.at >= this.limit) return false;
    const tag = this.varint();
    this.number = Math.floor(tag / 8);
    this.wire = tag % 8;
    switch (this.wire) {
      case wireType.varint:
        this.value = this.varint();
        return true;
      case wireType.bytes: {
        const length = this.varint();
        this.skip(length);
        this.start = this.at - length;
        this.end = this.at;
        return true;
      }
      case wireType.fixed64:
        this.skip(8);
        return true;
      case wireType.fixed32:
        this.skip(4);
        return true;
      default:
        throw new Error(`Wire type ${this.wire} in a message`);
    }
  }

  get done(): boolean {
    return this.at >= this.limit;
  }

  varint(): number {
    let value = 0;
    let weight = 1;
    for (let count = 0; count < 10; count += 1) {
      if (this.at >= this.limit) throw new Error('Message ends inside a number');
      const byte = this.buffer[this.at] ?? 0;
      this.at += 1;
      value += (byte & 127) * weight;
      if (byte < 128) return value;
      weight *= 128;
    }
    throw new Error('Number of more than ten bytes in a message');
  }

  private skip(bytes: number): void {
    if (bytes > this.until - this.at) throw new Error('Message ends inside a field');
    this.at += bytes;
  }
}
