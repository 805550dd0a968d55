import { expect, it } from 'vitest';
import { frameType, writeFrameHeader } from '../../../../../main/perf/native/http2/frame-reader';
import { Http2Outbound } from '../../../../../main/perf/native/http2/outbound';

/** A connection that passes nothing on at once, as over TLS: what was staged stays in use. */
function slowSocket() {
  const sent: Buffer[] = [];
  const socket = {
    writableLength: 1,
    cork: () => undefined,
    uncork: () => undefined,
    write: (bytes: Buffer) => {
      sent.push(bytes);
      return false;
    },
  };
  return { socket, bytes: () => Buffer.concat(sent) };
}

function ping(payload: number): Buffer {
  const frame = Buffer.alloc(17, payload);
  writeFrameHeader(frame, 0, { bytes: 8, type: frameType.ping, flags: 1, streamId: 0 });
  return frame;
}

it('sends control frames whole, wherever in the staging they fall', () => {
  const { socket, bytes } = slowSocket();
  const outbound = new Http2Outbound(socket);
  const frames = Array.from({ length: 20_000 }, (_unused, index) => ping(index % 251));
  for (const frame of frames) {
    outbound.control(frame);
    outbound.flush();
  }
  expect(bytes().equals(Buffer.concat(frames))).toBe(true);
});
