/** Frame types of RFC 9113, section 6, that this client uses. */
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
/** Default SETTINGS_MAX_FRAME_SIZE. */
export const defaultMaxFrameBytes = 16_384;
/** SETTINGS_MAX_FRAME_SIZE of this client, so that large outputs take few frames. */
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

interface FrameSink {
  /** A fragment of a DATA frame; `last` at the frame's end. The buffer is only valid during the call. */
  data(streamId: number, endStream: boolean, buffer: Buffer, start: number, end: number, last: boolean): void;
  /** Any other frame, complete. The buffer is only valid during the call. */
  frame(type: number, flags: number, streamId: number, buffer: Buffer, start: number, end: number): void;
}

/** Splits a connection's bytes into frames; DATA is not copied. */
export class Http2FrameReader {
  private readonly header = Buffer.alloc(frameHeaderBytes);
  private headerFill = 0;
  private type = 0;
  private flags = 0;
  private streamId = 0;
  /** Remaining bytes of the current frame; -1 between frames. */
  private left = -1;
  private kept: Buffer | null = null;
  private keptFill = 0;

  constructor(private readonly sink: FrameSink) {}

  /** Stream of the current DATA frame, while `contentLeft` is not 0. */
  get contentStream(): number {
    return this.streamId;
  }

  /** Remaining content bytes of the current DATA frame. */
  get contentLeft(): number {
    return this.left > 0 && this.streams() ? this.left : 0;
  }

  /** Throws an Error for a frame above the maximum size. */
  push(chunk: Buffer, length: number): void {
    let at = 0;
    while (at < length || this.left === 0) {
      if (this.left < 0) {
        at = this.takeHeader(chunk, at, length);
        if (this.left < 0) return;
      }
      const take = Math.min(this.left, length - at);
      if (this.streams()) {
        this.left -= take;
        const last = this.left === 0;
        if (last) this.left = -1;
        const ends = (this.flags & frameFlag.endStream) !== 0;
        if (take > 0 || last) this.sink.data(this.streamId, ends, chunk, at, at + take, last);
      } else if (this.kept === null && take === this.left) {
        this.left = -1;
        this.whole(chunk, at, at + take);
      } else {
        this.keep(chunk, at, take);
      }
      at += take;
    }
  }

  private streams(): boolean {
    return this.type === frameType.data && (this.flags & frameFlag.padded) === 0;
  }

  private takeHeader(chunk: Buffer, from: number, length: number): number {
    let source = chunk;
    let base = from;
    let at = from + frameHeaderBytes;
    if (this.headerFill > 0 || at > length) {
      const take = Math.min(frameHeaderBytes - this.headerFill, length - from);
      chunk.copy(this.header, this.headerFill, from, from + take);
      this.headerFill += take;
      if (this.headerFill < frameHeaderBytes) return length;
      this.headerFill = 0;
      source = this.header;
      base = 0;
      at = from + take;
    }
    this.left = source.readUIntBE(base, 3);
    this.type = source[base + 3] ?? 0;
    this.flags = source[base + 4] ?? 0;
    this.streamId = source.readUInt32BE(base + 5) & 0x7fffffff;
    if (this.left > ownMaxFrameBytes) throw new Error(`A frame of ${this.left} bytes, longer than allowed`);
    return at;
  }

  private keep(chunk: Buffer, at: number, take: number): void {
    this.kept ??= Buffer.alloc(this.left);
    chunk.copy(this.kept, this.keptFill, at, at + take);
    this.keptFill += take;
    this.left -= take;
    if (this.left > 0) return;
    const { kept } = this;
    this.kept = null;
    this.keptFill = 0;
    this.left = -1;
    this.whole(kept, 0, kept.length);
  }

  private whole(buffer: Buffer, start: number, end: number): void {
    if (this.type !== frameType.data) {
      this.sink.frame(this.type, this.flags, this.streamId, buffer, start, end);
      return;
    }
    const padding = buffer[start] ?? 0;
    if (padding + 1 > end - start) throw new Error('A DATA frame with more padding than content');
    const ends = (this.flags & frameFlag.endStream) !== 0;
    this.sink.data(this.streamId, ends, buffer, start + 1, end - padding, true);
  }
}
