/** A copy with one bit turned over: `place` counts the bits from the first byte's lowest. */
export function withFlippedBit(bytes: Buffer, place: number): Buffer {
  const copy = Buffer.from(bytes);
  const at = Math.floor(place / 8);
  copy.writeUInt8(copy.readUInt8(at) ^ (1 << (place % 8)), at);
  return copy;
}
