import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrpcMessageReader, type MessageSink } from '../../../../../main/perf/native/grpc/message-reader';
import { HttpReplyReader } from '../../../../../main/perf/native/http1/messages';
import {
  encodeFrame,
  frameFlag,
  frameType,
  Http2FrameReader,
} from '../../../../../main/perf/native/http2/frame-reader';
import { ReceiveBuffer } from '../../../../../main/perf/native/socket/socket';

/** Bytes of which no two stretches look the same. */
function content(length: number, seed: number): Buffer {
  const words = Uint32Array.from(
    { length: Math.ceil(length / 4) },
    (_unused, index) => index * 2654435761 + seed,
  );
  return Buffer.from(words.buffer, 0, length);
}

/** As a socket does: each read goes where it is asked to go, and ends where the kernel has no more. */
function deliver(
  wire: Buffer,
  sizes: readonly number[],
  reader: { room(): Buffer | null; push(buffer: Buffer, length: number): void },
): { readonly inPlace: number } {
  const own = Buffer.alloc(16 * 1024);
  let inPlace = 0;
  for (let at = 0, read = 0; at < wire.length; read += 1) {
    const room = reader.room();
    const into = room ?? own;
    const length = wire.copy(into, 0, at, at + Math.min(into.length, sizes[read % sizes.length] ?? 1));
    if (room !== null) inPlace += length;
    reader.push(into, length);
    // What was only lent for the read is gone after it.
    own.fill(0xee);
    at += length;
  }
  return { inPlace };
}

const gathering = (message: MessageSink['message'] = () => undefined): MessageSink => ({
  message,
  gathers: () => true,
  piece: () => {
    throw new Error('a piece of what is put together');
  },
});
const sizes = fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 8 });
const lengths = fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 1, maxLength: 4 });
const prefixed = (message: Buffer) => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
};

describe('what is read to its place at once', () => {
  it('is the same as what is copied there: replies over HTTP', () => {
    fc.assert(
      fc.property(lengths, sizes, (bodies, pieces) => {
        const seen: Buffer[] = [];
        const reader = new HttpReplyReader({
          bodyBegins: () => undefined,
          reply: (_reply, buffer, start, end) => {
            seen.push(Buffer.from(buffer.subarray(start, end)));
          },
        });
        const sent = bodies.map(content);
        // A reply is asked for when the one before has come.
        for (const body of sent) {
          const head = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`;
          deliver(Buffer.concat([Buffer.from(head), body]), pieces, reader);
        }
        expect(seen.map((body, index) => body.equals(sent[index] ?? Buffer.alloc(0)))).toEqual(
          sent.map(() => true),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('is the same as what is copied there: messages of streams that share a connection', () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.integer({ min: 1, max: 300_000 }), fc.integer({ min: 1, max: 300_000 })),
        fc.integer({ min: 1, max: 120_000 }),
        sizes,
        (messageBytes, frameBytes, pieces) => {
          const messages = messageBytes.map(content);
          const readers = messages.map(() => new GrpcMessageReader());
          // The streams take turns, a frame each.
          const left = messages.map(prefixed);
          const wire: Buffer[] = [];
          while (left.some((message) => message.length > 0)) {
            for (const [stream, message] of left.entries()) {
              wire.push(
                encodeFrame(frameType.data, frameFlag.endStream, stream, message.subarray(0, frameBytes)),
              );
              left[stream] = message.subarray(frameBytes);
            }
          }
          for (let round = 0; round < 2; round += 1) {
            const seen: boolean[] = [];
            for (const reader of readers) reader.reset();
            const frames = new Http2FrameReader({
              data: (stream, _ends, buffer, start, end) => {
                readers[stream]?.push(
                  buffer,
                  start,
                  end,
                  gathering((message, from, to) => {
                    seen[stream] = message.subarray(from, to).equals(messages[stream] ?? Buffer.alloc(0));
                  }),
                );
              },
              frame: () => undefined,
            });
            deliver(Buffer.concat(wire), pieces, {
              room: () =>
                frames.contentLeft === 0
                  ? null
                  : (readers[frames.contentStream]?.room(frames.contentLeft) ?? null),
              push: (buffer, length) => {
                frames.push(buffer, length);
              },
            });
            expect(seen).toEqual([true, true]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is most of a large message', () => {
    const wire = prefixed(content(600_000, 1));
    const reader = new GrpcMessageReader();
    const { inPlace } = deliver(wire, [2 ** 20], {
      room: () => reader.room(Infinity),
      push: (buffer, length) => {
        reader.push(buffer, 0, length, gathering());
      },
    });
    expect(reader.complete).toBe(true);
    expect(inPlace).toBe(wire.length - 16 * 1024);
  });

  it('is nothing where a few bytes are missing, or a message that is over, or of unknown length', () => {
    expect(new ReceiveBuffer().room(100)).toBeNull();
    const reader = new GrpcMessageReader();
    expect(reader.room(100_000)).toBeNull();
    const wire = prefixed(content(50_000, 2));
    reader.push(wire, 0, wire.length, gathering());
    expect(reader.room(100_000)).toBeNull();
  });

  it('ends with the content of a frame that has padding, or is none of DATA', () => {
    const frames = new Http2FrameReader({ data: () => undefined, frame: () => undefined });
    const long = Buffer.alloc(40_000);
    for (const [type, flags] of [
      [frameType.data, frameFlag.padded],
      [frameType.headers, 0],
    ] as const) {
      frames.push(encodeFrame(type, flags, 1, long), 20_000);
      expect(frames.contentLeft).toBe(0);
      frames.push(long, 20_009);
    }
    frames.push(encodeFrame(frameType.data, 0, 7, long), 20_009);
    expect([frames.contentLeft, frames.contentStream]).toEqual([20_000, 7]);
  });
});
