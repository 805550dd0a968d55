import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeFrame,
  frameFlag,
  frameType,
  Http2FrameReader,
  ownMaxFrameBytes,
} from '../../../../../main/perf/native/http2/frame-reader';

interface Seen {
  readonly type: number;
  readonly streamId: number;
  readonly content: string;
  readonly ends: boolean;
}

function collect(): { readonly reader: Http2FrameReader; readonly seen: Seen[] } {
  const seen: Seen[] = [];
  let pieces: Buffer[] = [];
  const reader = new Http2FrameReader({
    data: (streamId, ends, buffer, start, end, last) => {
      pieces.push(Buffer.from(buffer.subarray(start, end)));
      if (!last) return;
      seen.push({ type: frameType.data, streamId, content: Buffer.concat(pieces).toString('hex'), ends });
      pieces = [];
    },
    frame: (type, flags, streamId, buffer, start, end) => {
      const ends = (flags & frameFlag.endStream) !== 0;
      seen.push({ type, streamId, content: buffer.toString('hex', start, end), ends });
    },
  });
  return { reader, seen };
}

const frames = fc.array(
  fc.record({
    type: fc.constantFrom(frameType.data, frameType.headers, frameType.settings, frameType.ping, 0xbe),
    streamId: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    content: fc.uint8Array({ maxLength: 60 }),
    ends: fc.boolean(),
  }),
  { maxLength: 12 },
);

describe('frames', () => {
  it('are found wherever the pieces of the connection end', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sent, sizes) => {
        const wire = Buffer.concat(
          sent.map((frame) =>
            encodeFrame(frame.type, frame.ends ? frameFlag.endStream : 0, frame.streamId, frame.content),
          ),
        );
        const { reader, seen } = collect();
        for (let at = 0, piece = 0; at < wire.length; piece += 1) {
          const end = Math.min(wire.length, at + (sizes[piece % sizes.length] ?? 1));
          reader.push(wire.subarray(at, end), end - at);
          at = end;
        }
        expect(seen).toEqual(
          sent.map((frame) => ({ ...frame, content: Buffer.from(frame.content).toString('hex') })),
        );
      }),
    );
  });

  it('of data lose their padding', () => {
    const { reader, seen } = collect();
    const flags = frameFlag.padded | frameFlag.endStream;
    const wire = encodeFrame(frameType.data, flags, 3, Buffer.from('03616263000000', 'hex'));
    reader.push(wire, wire.length);
    expect(seen).toEqual([{ type: frameType.data, streamId: 3, content: '616263', ends: true }]);
  });

  it('with more padding than content, or longer than announced, are refused', () => {
    const padded = encodeFrame(frameType.data, frameFlag.padded, 3, Buffer.from('09616263', 'hex'));
    expect(() => {
      collect().reader.push(padded, padded.length);
    }).toThrow(/padding/);
    const long = Buffer.alloc(9);
    long.writeUIntBE(ownMaxFrameBytes + 1, 0, 3);
    expect(() => {
      collect().reader.push(long, long.length);
    }).toThrow(/longer than allowed/);
  });
});
