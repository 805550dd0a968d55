/** A text within the bytes of all, without the zeros that fill it up. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * Texts of numpy, all of one size, in the raw form of BYTES: each is its length in four bytes, and its bytes. Written into one
 * buffer, as there may be millions of them; where each ends is looked for once.
 */
function encoded(
  data: Buffer,
  itemBytes: number,
  of: {
    readonly endsBefore: (place: Place) => number;
    readonly sizeOf: (place: Place) => number;
    readonly write: (place: Place, into: Buffer, at: number) => void;
  },
): Buffer {
  const count = itemBytes === 0 ? 0 : Math.floor(data.length / itemBytes);
  const ends = new Float64Array(count);
  const sizes = new Float64Array(count);
  let bytes = 4 * count;
  for (let index = 0; index < count; index += 1) {
    const start = index * itemBytes;
    const end = of.endsBefore({ start, end: start + itemBytes });
    const size = of.sizeOf({ start, end });
    ends[index] = end;
    sizes[index] = size;
    bytes += size;
  }
  const buffer = Buffer.alloc(bytes);
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const size = sizes[index] ?? 0;
    buffer.writeUInt32LE(size, at);
    of.write({ start: index * itemBytes, end: ends[index] ?? 0 }, buffer, at + 4);
    at += 4 + size;
  }
  return buffer;
}

/** Of numpy's `S`: bytes. */
export function encodeFixedBytes(data: Buffer, itemBytes: number): Buffer {
  return encoded(data, itemBytes, {
    endsBefore({ start, end }) {
      let last = end;
      while (last > start && data[last - 1] === 0) last -= 1;
      return last;
    },
    sizeOf: ({ start, end }) => end - start,
    write({ start, end }, into, at) {
      data.copy(into, at, start, end);
    },
  });
}

const mostLetter = 0x10ffff;
const replacement = 0xfffd;

/** Bytes of a letter in UTF-8. */
const widthOf = (letter: number): number =>
  letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;

function writeLetter(into: Buffer, at: number, letter: number): void {
  const width = widthOf(letter);
  if (width === 1) {
    into[at] = letter;
    return;
  }
  let rest = letter;
  for (let byte = width - 1; byte > 0; byte -= 1) {
    into[at + byte] = 0x80 | (rest & 0x3f);
    rest >>= 6;
  }
  into[at] = ((0xf00 >> width) & 0xff) | rest;
}

/** Of numpy's `U`: four bytes a letter. Throws an Error for a number that is no letter. */
export function encodeFixedLetters(data: Buffer, itemBytes: number): Buffer {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const letterAt = (at: number): number => {
    const letter = view.getUint32(at, true);
    if (letter > mostLetter) throw new Error(`a text holds the number ${letter}, which is not a character`);
    // Half a letter of UTF-16.
    return letter >= 0xd800 && letter <= 0xdfff ? replacement : letter;
  };
  return encoded(data, itemBytes, {
    endsBefore({ start, end }) {
      let last = end;
      while (last > start && view.getUint32(last - 4, true) === 0) last -= 4;
      return last;
    },
    sizeOf({ start, end }) {
      let bytes = 0;
      for (let at = start; at < end; at += 4) bytes += widthOf(letterAt(at));
      return bytes;
    },
    write({ start, end }, into, first) {
      let to = first;
      for (let at = start; at < end; at += 4) {
        const letter = letterAt(at);
        writeLetter(into, to, letter);
        to += widthOf(letter);
      }
    },
  });
}
