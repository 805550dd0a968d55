import { decodeHuffman, HpackCursor } from './huffman';
import { staticTable } from './static-table';

/** RFC 7541, 4.1: what an entry counts beside its characters. */
const entryOverhead = 32;
/** SETTINGS_HEADER_TABLE_SIZE that HTTP/2 begins with; this client announces no other. */
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

/** The receiving half of HPACK for one connection: blocks must come in the order of the wire. */
export class HpackDecoder {
  private readonly dynamic: Entry[] = [];
  private bytes = 0;
  private limit = tableLimit;

  /** Tells each field of the block. Throws an Error on a block that breaks RFC 7541: the connection is then lost. */
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
