import { decodeHuffman, encodeHuffman, encodeInteger, HpackCursor } from './huffman';

/** Static table of RFC 7541, appendix A; indices start at 1. */
const staticTable: readonly (readonly [name: string, value: string])[] = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  [':status', '200'],
  [':status', '204'],
  [':status', '206'],
  [':status', '304'],
  [':status', '400'],
  [':status', '404'],
  [':status', '500'],
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-language', ''],
  ['accept-ranges', ''],
  ['accept', ''],
  ['access-control-allow-origin', ''],
  ['age', ''],
  ['allow', ''],
  ['authorization', ''],
  ['cache-control', ''],
  ['content-disposition', ''],
  ['content-encoding', ''],
  ['content-language', ''],
  ['content-length', ''],
  ['content-location', ''],
  ['content-range', ''],
  ['content-type', ''],
  ['cookie', ''],
  ['date', ''],
  ['etag', ''],
  ['expect', ''],
  ['expires', ''],
  ['from', ''],
  ['host', ''],
  ['if-match', ''],
  ['if-modified-since', ''],
  ['if-none-match', ''],
  ['if-range', ''],
  ['if-unmodified-since', ''],
  ['last-modified', ''],
  ['link', ''],
  ['location', ''],
  ['max-forwards', ''],
  ['proxy-authenticate', ''],
  ['proxy-authorization', ''],
  ['range', ''],
  ['referer', ''],
  ['refresh', ''],
  ['retry-after', ''],
  ['server', ''],
  ['set-cookie', ''],
  ['strict-transport-security', ''],
  ['transfer-encoding', ''],
  ['user-agent', ''],
  ['vary', ''],
  ['via', ''],
  ['www-authenticate', ''],
];

type HeaderField = readonly [name: string, value: string];

function stringBytes(text: string): Buffer {
  const plain = Buffer.from(text, 'latin1');
  const coded = encodeHuffman(text);
  return coded.length < plain.length
    ? Buffer.concat([Buffer.from(encodeInteger(coded.length, 7, 0x80)), coded])
    : Buffer.concat([Buffer.from(encodeInteger(plain.length, 7, 0)), plain]);
}

/** Index of an equal field in the static table, or 0. */
const fieldIndex = ([name, value]: HeaderField) =>
  staticTable.findIndex((entry) => entry[0] === name && entry[1] === value) + 1;

const nameIndex = (name: string) => staticTable.findIndex((entry) => entry[0] === name) + 1;

function literal(field: HeaderField, prefixBits: number, pattern: number): Buffer {
  const index = nameIndex(field[0]);
  return Buffer.concat([
    Buffer.from(encodeInteger(index, prefixBits, pattern)),
    ...(index === 0 ? [stringBytes(field[0])] : []),
    stringBytes(field[1]),
  ]);
}

export interface HeaderBlocks {
  /** Without table updates: valid at any time. */
  readonly plain: Buffer;
  /** First block of a connection: adds the fields to the peer's table. */
  readonly first: Buffer;
  /** Later blocks, if `first` was sent and no other block changed the table. */
  readonly later: Buffer;
}

/** Encodes constant headers once. They must fit the default 4096-byte table. */
export function encodeHeaderBlocks(fields: readonly HeaderField[]): HeaderBlocks {
  const plain: Buffer[] = [];
  const first: Buffer[] = [];
  const later: Buffer[] = [];
  const kept = fields.filter((field) => fieldIndex(field) === 0).length;
  let keptBefore = 0;
  for (const field of fields) {
    const index = fieldIndex(field);
    if (index > 0) {
      const indexed = Buffer.from(encodeInteger(index, 7, 0x80));
      plain.push(indexed);
      first.push(indexed);
      later.push(indexed);
      continue;
    }
    plain.push(literal(field, 4, 0));
    first.push(literal(field, 6, 0x40));
    // The newest entry has the lowest index.
    keptBefore += 1;
    later.push(Buffer.from(encodeInteger(staticTable.length + 1 + kept - keptBefore, 7, 0x80)));
  }
  return { plain: Buffer.concat(plain), first: Buffer.concat(first), later: Buffer.concat(later) };
}

/** Fields that leave the peer's table as it is. */
export const encodeLiterals = (fields: readonly HeaderField[]): Buffer =>
  Buffer.concat(fields.map((field) => literal(field, 4, 0)));

/** RFC 7541, 4.1: overhead of a table entry. */
const entryOverhead = 32;
/** Default SETTINGS_HEADER_TABLE_SIZE, which this client keeps. */
const tableLimit = 4096;

interface Entry {
  readonly name: string;
  readonly value: string;
}

function stringOf(cursor: HpackCursor): string {
  const coded = (cursor.peek() & 0x80) !== 0;
  const length = cursor.integer(7);
  const start = cursor.at;
  const end = start + length;
  if (end > cursor.end) throw new Error('Header block ends inside a string');
  cursor.at = end;
  if (coded) return decodeHuffman(cursor.buffer, start, end);
  let text = '';
  for (let index = start; index < end; index += 1) text += String.fromCharCode(cursor.buffer[index] ?? 0);
  return text;
}

/** Decoder of one connection; blocks must be decoded in wire order. */
export class HpackDecoder {
  private readonly dynamic: Entry[] = [];
  private bytes = 0;
  private limit = tableLimit;

  /** Calls `field` per header. Throws an Error for invalid blocks, after which the connection is unusable. */
  decode(buffer: Uint8Array, start: number, end: number, field: (name: string, value: string) => void): void {
    const cursor = new HpackCursor(buffer, start, end);
    while (!cursor.done) {
      const first = cursor.peek();
      if ((first & 0x80) !== 0) {
        const entry = this.entry(cursor.integer(7));
        field(entry.name, entry.value);
      } else if ((first & 0xe0) === 0x20) {
        this.resize(cursor.integer(5));
      } else {
        const kept = (first & 0x40) !== 0;
        const index = cursor.integer(kept ? 6 : 4);
        const name = index === 0 ? stringOf(cursor) : this.entry(index).name;
        const value = stringOf(cursor);
        if (kept) this.keep({ name, value });
        field(name, value);
      }
    }
  }

  private entry(index: number): Entry {
    const fixed = staticTable[index - 1];
    if (fixed !== undefined) return { name: fixed[0], value: fixed[1] };
    const entry = this.dynamic[index - 1 - staticTable.length];
    if (entry === undefined) throw new Error(`Header index ${index} is not in the table`);
    return entry;
  }

  private keep(entry: Entry): void {
    this.bytes += entry.name.length + entry.value.length + entryOverhead;
    this.dynamic.unshift(entry);
    this.evict();
  }

  private resize(limit: number): void {
    if (limit > tableLimit) throw new Error('Header table larger than announced');
    this.limit = limit;
    this.evict();
  }

  private evict(): void {
    while (this.bytes > this.limit) {
      const oldest = this.dynamic.pop();
      if (oldest === undefined) return;
      this.bytes -= oldest.name.length + oldest.value.length + entryOverhead;
    }
  }
}
