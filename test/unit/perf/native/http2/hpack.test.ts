import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeHeaderBlocks, HpackDecoder } from '../../../../../main/perf/native/http2/hpack';
import {
  decodeHuffman,
  encodeHuffman,
  encodeInteger,
  HpackCursor,
} from '../../../../../main/perf/native/http2/huffman';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

function decodeWith(decoder: HpackDecoder, block: Buffer): [string, string][] {
  const fields: [string, string][] = [];
  decoder.decode(block, 0, block.length, (name, value) => fields.push([name, value]));
  return fields;
}

const byteText = fc.array(fc.integer({ min: 0, max: 255 })).map((codes) => String.fromCharCode(...codes));

describe('integers', () => {
  it('come back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), fc.integer({ min: 4, max: 7 }), (value, bits) => {
        const bytes = Buffer.from(encodeInteger(value, bits, 0));
        const cursor = new HpackCursor(bytes, 0, bytes.length);
        expect(cursor.integer(bits)).toBe(value);
        expect(cursor.done).toBe(true);
      }),
    );
  });

  it('are coded as in RFC 7541 C.1', () => {
    expect(encodeInteger(10, 5, 0)).toEqual([10]);
    expect(encodeInteger(1337, 5, 0)).toEqual([31, 154, 10]);
  });

  it('above every sense are refused', () => {
    const bytes = hex('ff ffffffffff7f');
    expect(() => new HpackCursor(bytes, 0, bytes.length).integer(7)).toThrow(/too large/);
  });
});

describe('Huffman strings', () => {
  it('come back', () => {
    fc.assert(
      fc.property(byteText, (text) => {
        const bytes = encodeHuffman(text);
        expect(decodeHuffman(bytes, 0, bytes.length)).toBe(text);
      }),
    );
  });

  it('are coded as in RFC 7541 C.4', () => {
    expect(encodeHuffman('www.example.com').toString('hex')).toBe('f1e3c2e5f23a6ba0ab90f4ff');
    expect(encodeHuffman('custom-value').toString('hex')).toBe('25a849e95bb8e8b4bf');
  });

  it('with a wrong padding are refused', () => {
    expect(() => decodeHuffman(hex('f1e3c2e5f23a6ba0ab90f400'), 0, 12)).toThrow();
    expect(() => decodeHuffman(hex('ffff'), 0, 2)).toThrow(/padding/);
  });
});

describe('header blocks', () => {
  it('of RFC 7541 C.6 are read, with a dynamic table', () => {
    const decoder = new HpackDecoder();
    expect(
      decodeWith(
        decoder,
        hex(
          '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
        ),
      ),
    ).toEqual([
      [':status', '302'],
      ['cache-control', 'private'],
      ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'],
      ['location', 'https://www.example.com'],
    ]);
    expect(decodeWith(decoder, hex('4883 640e ffc1 c0bf'))).toEqual([
      [':status', '307'],
      ['cache-control', 'private'],
      ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'],
      ['location', 'https://www.example.com'],
    ]);
  });

  it('made here are read back in all three forms', () => {
    const name = fc.stringMatching(/^[a-z-]{1,20}$/);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, fc.stringMatching(/^[ -~]{0,40}$/)), { maxLength: 10 }),
        (fields) => {
          const blocks = encodeHeaderBlocks(fields);
          expect(decodeWith(new HpackDecoder(), blocks.plain)).toEqual(fields);
          const decoder = new HpackDecoder();
          expect(decodeWith(decoder, blocks.first)).toEqual(fields);
          expect(decodeWith(decoder, blocks.later)).toEqual(fields);
          expect(decodeWith(decoder, blocks.later)).toEqual(fields);
        },
      ),
    );
  });

  it('forget the oldest entries when the table is full', () => {
    const decoder = new HpackDecoder();
    const long = encodeHeaderBlocks([['x-long', 'v'.repeat(3000)]]);
    const other = encodeHeaderBlocks([['x-other', 'w'.repeat(2000)]]);
    decodeWith(decoder, long.first);
    decodeWith(decoder, other.first);
    expect(decodeWith(decoder, other.later)).toEqual([['x-other', 'w'.repeat(2000)]]);
    expect(() => decodeWith(decoder, hex('bf'))).toThrow(/not in the table/);
  });

  it('that end too early or name what is not there are refused', () => {
    expect(() => decodeWith(new HpackDecoder(), hex('48'))).toThrow();
    expect(() => decodeWith(new HpackDecoder(), hex('0005'))).toThrow();
    expect(() => decodeWith(new HpackDecoder(), hex('ff00'))).toThrow(/not in the table/);
    expect(() => decodeWith(new HpackDecoder(), hex('3fe2 ff03'))).toThrow(/larger than announced/);
  });
});
