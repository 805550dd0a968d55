import { encodeHuffman, encodeInteger } from './huffman';
import { staticTable } from './static-table';

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
  /** Leaves nothing in the peer's table: valid at any time. */
  readonly plain: Buffer;
  /** For the first request of a connection: puts the fields into the peer's table. */
  readonly first: Buffer;
  /** For every later request, when `first` went before and no other block touched the table. */
  readonly later: Buffer;
}

/**
 * The header block of requests that all have the same fields, made once. The fields need room in a table of 4096
 * bytes, which a peer has unless its settings say less.
 */
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
    // The newest entry has the lowest index: the first field that was kept lies deepest.
    keptBefore += 1;
    later.push(Buffer.from(encodeInteger(staticTable.length + 1 + kept - keptBefore, 7, 0x80)));
  }
  return { plain: Buffer.concat(plain), first: Buffer.concat(first), later: Buffer.concat(later) };
}
