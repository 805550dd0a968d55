/** RFC 9113, section 6: what this client sends or understands. */
export const frameType = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const frameFlag = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

export const settingId = {
  headerTableSize: 1,
  enablePush: 2,
  initialWindowSize: 4,
  maxFrameSize: 5,
} as const;

export const frameHeaderBytes = 9;
/** Largest payload that a peer must take before it says otherwise. */
export const defaultMaxFrameBytes = 16_384;
/** What this client announces: large outputs come in few frames. */
export const ownMaxFrameBytes = 2 ** 20;
export const defaultWindowBytes = 65_535;
export const maxWindowBytes = 2 ** 31 - 1;
export const connectionPreface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

export function writeFrameHeader(
  buffer: Buffer,
  at: number,
  header: {
    readonly bytes: number;
    readonly type: number;
    readonly flags: number;
    readonly streamId: number;
  },
): void {
  buffer.writeUIntBE(header.bytes, at, 3);
  buffer[at + 3] = header.type;
  buffer[at + 4] = header.flags;
  buffer.writeUInt32BE(header.streamId, at + 5);
}

export function encodeFrame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  const frame = Buffer.alloc(frameHeaderBytes + payload.byteLength);
  writeFrameHeader(frame, 0, { bytes: payload.byteLength, type, flags, streamId });
  frame.set(payload, frameHeaderBytes);
  return frame;
}

export function encodeSettings(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(settings.length * 6);
  for (const [index, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  }
  return encodeFrame(frameType.settings, 0, 0, payload);
}

export function encodeWindowUpdate(streamId: number, bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes, 0);
  return encodeFrame(frameType.windowUpdate, 0, streamId, payload);
}
