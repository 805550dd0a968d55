/** Nearest even of a number that is not negative. */
function roundEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}

const signBit = (value: number): number => (value < 0 || Object.is(value, -0) ? 0x8000 : 0);

/** Bits of the nearest IEEE 754 binary16; beyond its range an infinity. */
export function halfBits(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = signBit(value);
  const size = Math.abs(value);
  // Half way between the largest binary16 and the next power of two.
  if (size >= 65_520) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | roundEven(size * 2 ** 24);
  let exponent = Math.floor(Math.log2(size));
  // The logarithm of a number just below a power of two rounds up to it.
  if (2 ** exponent > size) exponent -= 1;
  // A mantissa that rounds up to 1024 carries into the exponent, as it should.
  return sign | (((exponent + 15) << 10) + roundEven((size / 2 ** exponent - 1) * 1024));
}

/** One for all values, of which there may be millions. */
const view = new DataView(new ArrayBuffer(4));

/** Bits of the nearest bfloat16: the upper half of a binary32. */
export function bfloat16Bits(value: number): number {
  if (Number.isNaN(value)) return 0x7fc0;
  view.setFloat32(0, value);
  const bits = view.getUint32(0);
  const lower = bits & 0xffff;
  const upper = bits >>> 16;
  return lower > 0x8000 || (lower === 0x8000 && upper % 2 === 1) ? upper + 1 : upper;
}
