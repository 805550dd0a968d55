import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseReader } from '../../../../../main/perf/native/http1/sse';

function read(pieces: readonly Buffer[]) {
  const found: [string, string][] = [];
  const reader = new SseReader((event, data) => found.push([event, data]));
  for (const piece of pieces) {
    // The socket's buffer is reused, and longer than what was read.
    const shared = Buffer.alloc(piece.length + 8, '\n');
    piece.copy(shared, 4);
    reader.push(shared, 4, 4 + piece.length);
    shared.fill('x');
  }
  return { found, isWithin: reader.isWithin };
}

const text =
  ': a comment\r\n\r\ndata: {"a": "ü€"}\r\n\r\nevent: error\ndata:first\ndata: second\nid: 7\n\nretry: 1\n\ndata\n\ndata: [DONE]\n\n';
const events = [
  ['', '{"a": "ü€"}'],
  ['error', 'first\nsecond'],
  ['', ''],
  ['', '[DONE]'],
];

describe('server-sent events', () => {
  it('are read from one piece', () => {
    expect(read([Buffer.from(text)])).toEqual({ found: events, isWithin: false });
  });

  it('are the same wherever the bytes are cut, within a character too', () => {
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
        expect(read(pieces)).toEqual({ found: events, isWithin: false });
      }),
    );
  });

  it('are not complete before the empty line', () => {
    expect(read([Buffer.from('data: {}\n')])).toEqual({ found: [], isWithin: true });
    expect(read([Buffer.from('data: {}\n\ndat')])).toEqual({ found: [['', '{}']], isWithin: true });
  });

  it('are refused as a line without end', () => {
    const reader = new SseReader(() => undefined);
    const piece = Buffer.alloc(8 * 2 ** 20, 'x');
    reader.push(piece, 0, piece.length);
    reader.push(piece, 0, piece.length);
    expect(() => reader.push(piece, 0, 1)).toThrow('more than 16 MiB');
  });
});
