import type { Socket } from 'node:net';
import {
  defaultMaxFrameBytes,
  defaultWindowBytes,
  frameFlag,
  frameHeaderBytes,
  frameType,
  writeFrameHeader,
} from './frame-reader';

const stagingBytes = 128 * 1024;
/** Smaller messages are copied next to their frame headers, to batch writes. */
const copyLimitBytes = 32 * 1024;

/** Flow control window; negative after the peer reduced its setting. */
interface Credit {
  window: number;
}

interface Pending {
  readonly streamId: number;
  readonly message: Buffer;
  /** Sets END_STREAM after the message. */
  readonly ends: boolean;
  offset: number;
  readonly credit: Credit;
}

/** Frames, flow control and batched writes: everything since the last flush is sent together. */
export class Http2Outbound {
  private staging = Buffer.allocUnsafeSlow(stagingBytes);
  private sealed = 0;
  private staged = 0;
  private readonly parts: Buffer[] = [];
  private readonly pending: Pending[] = [];
  /** Streams that send several messages. */
  private readonly open = new Map<number, Credit>();
  private connectionWindow = defaultWindowBytes;
  private streamWindow = defaultWindowBytes;
  private maxFrameBytes = defaultMaxFrameBytes;

  constructor(private readonly socket: Pick<Socket, 'write' | 'cork' | 'uncork' | 'writableLength'>) {}

  /** Sends HEADERS and the message with END_STREAM, within flow control. */
  request(streamId: number, block: Buffer, message: Buffer): void {
    this.headers(streamId, block);
    if (
      this.pending.length === 0 &&
      message.length <= this.connectionWindow &&
      message.length <= this.streamWindow &&
      message.length <= this.maxFrameBytes
    ) {
      this.connectionWindow -= message.length;
      this.data(streamId, message, 0, message.length, true);
      return;
    }
    this.pending.push({ streamId, message, ends: true, offset: 0, credit: { window: this.streamWindow } });
    this.pump();
  }

  /** Sends HEADERS of a stream with several messages until `end`. */
  openStream(streamId: number, block: Buffer): void {
    this.headers(streamId, block);
    this.open.set(streamId, { window: this.streamWindow });
  }

  /** Queues a message on a stream of `openStream`. */
  message(streamId: number, message: Buffer): void {
    const credit = this.open.get(streamId);
    if (credit === undefined) return;
    this.pending.push({ streamId, message, ends: false, offset: 0, credit });
    this.pump();
  }

  /** Drops unsent data of the stream without RST_STREAM. */
  forget(streamId: number): void {
    this.drop(streamId);
    this.open.delete(streamId);
  }

  control(frame: Buffer): void {
    // Before the copy, because `room` may switch the staging buffer.
    const at = this.room(frame.length);
    frame.copy(this.staging, at);
  }

  /** Drops unsent data; true if there was some. */
  drop(streamId: number): boolean {
    const at = this.pending.findIndex((item) => item.streamId === streamId);
    if (at >= 0) this.pending.splice(at, 1);
    return at >= 0;
  }

  setMaxFrameBytes(bytes: number): void {
    this.maxFrameBytes = bytes;
  }

  setStreamWindow(bytes: number): void {
    const change = bytes - this.streamWindow;
    this.streamWindow = bytes;
    const credits = new Set([...this.open.values(), ...this.pending.map((item) => item.credit)]);
    for (const credit of credits) credit.window += change;
    this.pump();
  }

  widen(streamId: number, bytes: number): void {
    if (streamId === 0) this.connectionWindow += bytes;
    else {
      const credit =
        this.open.get(streamId) ?? this.pending.find((item) => item.streamId === streamId)?.credit;
      if (credit !== undefined) credit.window += bytes;
    }
    this.pump();
  }

  flush(): void {
    this.seal();
    const [first] = this.parts;
    if (first === undefined) return;
    if (this.parts.length === 1) {
      this.socket.write(first);
    } else {
      this.socket.cork();
      for (const part of this.parts) this.socket.write(part);
      this.socket.uncork();
    }
    this.parts.length = 0;
    // The socket still references pending data: use the rest of the buffer first. TLS never completes synchronously.
    if (this.socket.writableLength > 0) return;
    this.sealed = 0;
    this.staged = 0;
  }

  private pump(): void {
    let index = 0;
    while (index < this.pending.length && this.connectionWindow > 0) {
      const item = this.pending[index];
      if (item === undefined) return;
      while (item.offset < item.message.length) {
        const bytes = Math.min(
          item.message.length - item.offset,
          this.connectionWindow,
          item.credit.window,
          this.maxFrameBytes,
        );
        if (bytes <= 0) break;
        const ends = item.ends && item.offset + bytes === item.message.length;
        this.data(item.streamId, item.message, item.offset, bytes, ends);
        item.offset += bytes;
        item.credit.window -= bytes;
        this.connectionWindow -= bytes;
      }
      if (item.offset === item.message.length) this.pending.splice(index, 1);
      else index += 1;
    }
  }

  private headers(streamId: number, block: Buffer): void {
    const room = this.room(frameHeaderBytes + block.length);
    writeFrameHeader(this.staging, room, {
      bytes: block.length,
      type: frameType.headers,
      flags: frameFlag.endHeaders,
      streamId,
    });
    block.copy(this.staging, room + frameHeaderBytes);
  }

  private data(streamId: number, message: Buffer, offset: number, bytes: number, ends: boolean): void {
    const copied = bytes <= copyLimitBytes;
    const room = this.room(frameHeaderBytes + (copied ? bytes : 0));
    const flags = ends ? frameFlag.endStream : 0;
    writeFrameHeader(this.staging, room, { bytes, type: frameType.data, flags, streamId });
    if (copied) {
      message.copy(this.staging, room + frameHeaderBytes, offset, offset + bytes);
      return;
    }
    this.seal();
    this.parts.push(message.subarray(offset, offset + bytes));
  }

  /** Reserves `bytes` of the staging buffer; returns their offset. */
  private room(bytes: number): number {
    if (this.staged + bytes > this.staging.length) {
      this.seal();
      this.staging = Buffer.allocUnsafeSlow(Math.max(stagingBytes, bytes));
      this.sealed = 0;
      this.staged = 0;
    }
    const at = this.staged;
    this.staged += bytes;
    return at;
  }

  private seal(): void {
    if (this.staged > this.sealed) this.parts.push(this.staging.subarray(this.sealed, this.staged));
    this.sealed = this.staged;
  }
}
