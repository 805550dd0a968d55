/** RFC 7541, appendix B. The code is canonical, so bit lengths of symbols 0 to 255 and EOS define it. */
const codeLengths: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7,
  8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19,
  13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13,
  28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21,
  22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23,
  22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25,
  25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];
const endMark = 256;

interface Leaf {
  readonly symbol: number;
}
interface Branch {
  readonly next: [Node | null, Node | null];
}
type Node = Leaf | Branch;

interface Code {
  readonly bits: number;
  readonly length: number;
}

function canonicalCodes(): readonly Code[] {
  const order = codeLengths
    .map((length, symbol) => ({ length, symbol }))
    .sort((a, b) => a.length - b.length || a.symbol - b.symbol);
  const codes: Code[] = [];
  let bits = 0;
  let before = order[0]?.length ?? 0;
  for (const { length, symbol } of order) {
    bits <<= length - before;
    codes[symbol] = { bits, length };
    bits += 1;
    before = length;
  }
  return codes;
}

const codes = canonicalCodes();

function tree(): Branch {
  const root: Branch = { next: [null, null] };
  for (const [symbol, code] of codes.entries()) {
    let at = root;
    for (let bit = code.length - 1; bit > 0; bit -= 1) {
      const turn = (code.bits >>> bit) & 1 ? 1 : 0;
      const next = at.next[turn];
      if (next !== null && 'next' in next) {
        at = next;
      } else {
        const branch: Branch = { next: [null, null] };
        at.next[turn] = branch;
        at = branch;
      }
    }
    at.next[code.bits & 1 ? 1 : 0] = { symbol };
  }
  return root;
}

const root = tree();

/** Decodes to one character per byte. Throws for EOS and for padding other than up to 7 one bits. */
export function decodeHuffman(buffer: Uint8Array, start: number, end: number): string {
  let text = '';
  let at = root;
  let padding = 0;
  let onlyOnes = true;
  for (let index = start; index < end; index += 1) {
    const byte = buffer[index] ?? 0;
    for (let bit = 7; bit >= 0; bit -= 1) {
      const turn = (byte >>> bit) & 1 ? 1 : 0;
      const next = at.next[turn];
      padding += 1;
      if (turn === 0) onlyOnes = false;
      if (next === null) throw new Error('Huffman code without a symbol');
      if ('next' in next) {
        at = next;
        continue;
      }
      if (next.symbol === endMark) throw new Error('Huffman end mark inside a string');
      text += String.fromCharCode(next.symbol);
      at = root;
      padding = 0;
      onlyOnes = true;
    }
  }
  if (padding > 7 || !onlyOnes) throw new Error('Huffman string with a wrong padding');
  return text;
}

/** Encodes characters up to code 255. */
export function encodeHuffman(text: string): Buffer {
  const bytes: number[] = [];
  let hold = 0;
  let held = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = codes[text.charCodeAt(index)];
    if (code === undefined) throw new Error('A header holds characters of one byte only');
    for (let bit = code.length - 1; bit >= 0; bit -= 1) {
      hold = (hold << 1) | ((code.bits >>> bit) & 1);
      held += 1;
      if (held === 8) {
        bytes.push(hold);
        hold = 0;
        held = 0;
      }
    }
  }
  if (held > 0) bytes.push(((hold << (8 - held)) | (0xff >>> held)) & 0xff);
  return Buffer.from(bytes);
}

/** RFC 7541, 5.1: integer with `prefixBits` below the `pattern` bits. */
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

/** Reads integers and bytes of a header block. */
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

  /** Throws beyond the block's end or 2^31, HTTP/2's maximum. */
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
