/** Protocol buffers wire format, as far as inference requests need it. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Whole numbers from 0 to 2^53 - 1. */
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

/** Tag and length that stand before `length` bytes of field `number`. */
export function encodeBytesHead(number: number, length: number): Buffer {
  return Buffer.concat([encodeVarint(number * 8 + wireType.bytes), encodeVarint(length)]);
}

export function encodeBytesField(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([encodeBytesHead(number, bytes.byteLength), bytes]);
}

export function encodeStringField(number: number, text: string): Buffer {
  return encodeBytesField(number, Buffer.from(text, 'utf8'));
}
