import type { Socket } from 'node:net';
import type { TlsMaterial } from '../../../triton/tls';
import { type ConnectTimes, openSocket } from '../socket/socket';
import { ReceiveLowWaterMark } from '../socket/socket-options';
import {
  connectionPreface,
  defaultWindowBytes,
  encodeFrame,
  encodeSettings,
  encodeWindowUpdate,
  frameFlag,
  frameType,
  Http2FrameReader,
  maxWindowBytes,
  ownMaxFrameBytes,
  settingId,
} from './frame-reader';
import { type HeaderBlocks, HpackDecoder } from './hpack';
import { Http2Outbound } from './outbound';

const lastStreamId = 2 ** 31 - 1;
/** The 2 GiB window is renewed when half of it is used. */
const renewAfterBytes = 2 ** 30;
/** With a smaller SETTINGS_HEADER_TABLE_SIZE header blocks do not use the peer's table. */
const wantedTableBytes = 4096;
/** RFC 7541, 6.3: table size update to 0. */
const emptyTable = 0x20;
/** RST_STREAM, error code CANCEL. */
const cancelCode = Buffer.from([0, 0, 0, 8]);

/** Receives a stream's headers and trailers. */
interface FieldSink {
  field(name: string, value: string): void;
}

export interface Http2SessionEvents {
  /** The connection is open. */
  opened?(times: ConnectTimes): void;
  /** The peer's SETTINGS have arrived. */
  ready(): void;
  /** undefined: headers are discarded. */
  fieldsOf(streamId: number): FieldSink | undefined;
  /** DATA content; the buffer is only valid during the call. Throwing ends the connection. */
  data(streamId: number, buffer: Buffer, start: number, end: number): void;
  /** Where to read the next `count` bytes of DATA; null: anywhere. */
  room?(streamId: number, count: number): Buffer | null;
  /** Bytes that can arrive before the next event of interest. */
  due?(): number;
  /** The peer half-closed the stream. */
  ended(streamId: number): void;
  reset(streamId: number, code: number): void;
  /** GOAWAY: streams above `last` get no response. */
  goAway(last: number, text: string): void;
  /** All events of one read were delivered; `true` closes the connection. */
  idle(): boolean;
  closed(opened: boolean, reason: string): void;
}

export interface Http2SessionOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsMaterial | null;
  readonly blocks: HeaderBlocks;
  /** Size of the largest request. */
  readonly requestBytes: number;
  readonly events: Http2SessionEvents;
}

/** HTTP/2 client connection: frames, settings, flow control and HPACK. The owner manages streams. */
export class Http2Session {
  readonly outbound: Http2Outbound;
  private readonly socket: Socket;
  private readonly mark: ReceiveLowWaterMark;
  private readonly frames: Http2FrameReader;
  private readonly hpack = new HpackDecoder();
  private readonly events: Http2SessionEvents;
  private ready = false;
  private reading = false;
  private requests = 0;
  private nextId = 1;
  private tableUsable = true;
  private tableReset = false;
  private receivedBytes = 0;
  private fault = '';
  private closing = false;
  /** Header block continued in CONTINUATION frames. */
  private block: { readonly streamId: number; readonly endStream: boolean; bytes: Buffer } | null = null;

  constructor(private readonly options: Http2SessionOptions) {
    this.events = options.events;
    this.frames = new Http2FrameReader({
      data: (streamId, endStream, buffer, start, end, last) =>
        this.onData(streamId, endStream, buffer, start, end, last),
      frame: (type, flags, streamId, buffer, start, end) =>
        this.onFrame(type, flags, streamId, buffer, start, end),
    });
    this.socket = openSocket(
      { ...options, protocol: 'h2' },
      {
        opened: (times) => {
          this.events.opened?.(times);
          this.greet();
        },
        received: (buffer, length) => this.receive(buffer, length),
        room: () => {
          const { contentLeft, contentStream } = this.frames;
          return contentLeft === 0 ? null : (this.events.room?.(contentStream, contentLeft) ?? null);
        },
        closed: (opened, reason) => this.onClosed(opened && (this.ready || this.fault !== ''), reason),
      },
    );
    this.outbound = new Http2Outbound(this.socket);
    this.mark = new ReceiveLowWaterMark(this.socket);
  }

  get isReady(): boolean {
    return this.ready;
  }

  /** Stream ids are used up. */
  get exhausted(): boolean {
    return this.nextId >= lastStreamId;
  }

  /** The number of the next stream. */
  nextStreamId(): number {
    const streamId = this.nextId;
    this.nextId += 2;
    return streamId;
  }

  /** Header block of the next stream; blocks must be sent in this order. @param more fields of this request, without a table */
  headerBlock(more: Buffer | null = null): Buffer {
    const block = this.constantBlock();
    return more === null ? block : Buffer.concat([block, more]);
  }

  private constantBlock(): Buffer {
    const { blocks } = this.options;
    this.requests += 1;
    if (this.tableReset) {
      this.tableReset = false;
      return Buffer.concat([Buffer.from([emptyTable]), blocks.plain]);
    }
    if (!this.tableUsable) return blocks.plain;
    return this.requests === 1 ? blocks.first : blocks.later;
  }

  /** Sends data given to `outbound`, now or after the current read. */
  flush(): void {
    if (this.reading) return;
    this.outbound.flush();
    // Not with TLS: the kernel cannot tell payload from partial records.
    if (this.options.tls === null) this.mark.due(this.events.due?.() ?? 0);
  }

  /** WINDOW_UPDATE for the stream. */
  renew(streamId: number, bytes: number): void {
    this.outbound.control(encodeWindowUpdate(streamId, bytes));
  }

  /**
   * Opens the window for a whole response; the default is 64 KiB. A Triton model instance's thread writes what fits the
   * window itself before its next request, and leaves the rest to another thread.
   */
  openWindow(streamId: number): void {
    this.renew(streamId, maxWindowBytes - defaultWindowBytes);
  }

  /** RST_STREAM with CANCEL. */
  cancel(streamId: number): void {
    this.outbound.control(encodeFrame(frameType.rstStream, 0, streamId, cancelCode));
  }

  /** No events after this. */
  close(): void {
    this.closing = true;
    this.mark.close();
    this.socket.destroy();
  }

  private greet(): void {
    this.outbound.control(connectionPreface);
    this.outbound.control(
      encodeSettings([
        [settingId.enablePush, 0],
        [settingId.maxFrameSize, ownMaxFrameBytes],
      ]),
    );
    this.outbound.control(encodeWindowUpdate(0, maxWindowBytes - defaultWindowBytes));
    this.outbound.flush();
  }

  private receive(buffer: Buffer, length: number): void {
    this.reading = true;
    try {
      this.frames.push(buffer, length);
    } catch (error) {
      this.fault = error instanceof Error ? error.message : String(error);
      this.socket.destroy();
      return;
    } finally {
      this.reading = false;
    }
    if (this.events.idle()) this.close();
    else this.flush();
  }

  private onData(
    streamId: number,
    endStream: boolean,
    buffer: Buffer,
    start: number,
    end: number,
    last: boolean,
  ): void {
    this.receivedBytes += end - start;
    if (this.receivedBytes > renewAfterBytes) {
      this.outbound.control(encodeWindowUpdate(0, this.receivedBytes));
      this.receivedBytes = 0;
    }
    this.events.data(streamId, buffer, start, end);
    if (last && endStream) this.events.ended(streamId);
  }

  private onFrame(type: number, flags: number, streamId: number, buffer: Buffer, start: number, end: number) {
    switch (type) {
      case frameType.headers:
        this.onHeaders(flags, streamId, buffer, start, end);
        return;
      case frameType.continuation:
        this.onContinuation(flags, streamId, buffer, start, end);
        return;
      case frameType.rstStream:
        this.events.reset(streamId, buffer.readUInt32BE(start));
        return;
      case frameType.settings:
        if ((flags & frameFlag.ack) === 0) this.onSettings(buffer, start, end);
        return;
      case frameType.ping:
        if ((flags & frameFlag.ack) === 0) {
          this.outbound.control(encodeFrame(frameType.ping, frameFlag.ack, 0, buffer.subarray(start, end)));
        }
        return;
      case frameType.windowUpdate:
        this.outbound.widen(streamId, buffer.readUInt32BE(start) & 0x7fffffff);
        return;
      case frameType.goAway:
        this.events.goAway(buffer.readUInt32BE(start) & 0x7fffffff, buffer.toString('utf8', start + 8, end));
        return;
      case frameType.pushPromise:
        throw new Error('the server pushes, although that is switched off');
      default:
        // RFC 9113, 5.5: ignore unknown frames.
        return;
    }
  }

  private onHeaders(flags: number, streamId: number, buffer: Buffer, start: number, end: number): void {
    let from = start;
    let to = end;
    if ((flags & frameFlag.padded) !== 0) {
      to -= buffer[from] ?? 0;
      from += 1;
    }
    if ((flags & frameFlag.priority) !== 0) from += 5;
    if (from > to) throw new Error('a HEADERS frame with more padding than content');
    const endStream = (flags & frameFlag.endStream) !== 0;
    if ((flags & frameFlag.endHeaders) !== 0) this.onBlock(streamId, endStream, buffer, from, to);
    else this.block = { streamId, endStream, bytes: Buffer.from(buffer.subarray(from, to)) };
  }

  private onContinuation(flags: number, streamId: number, buffer: Buffer, start: number, end: number): void {
    const { block } = this;
    if (block?.streamId !== streamId) throw new Error('a CONTINUATION frame without its HEADERS');
    block.bytes = Buffer.concat([block.bytes, buffer.subarray(start, end)]);
    if (block.bytes.length > ownMaxFrameBytes) throw new Error('headers of more than 1 MiB');
    if ((flags & frameFlag.endHeaders) === 0) return;
    this.block = null;
    this.onBlock(streamId, block.endStream, block.bytes, 0, block.bytes.length);
  }

  private onBlock(streamId: number, endStream: boolean, buffer: Buffer, start: number, end: number): void {
    const sink = this.events.fieldsOf(streamId);
    // Blocks of closed streams also change the table.
    this.hpack.decode(buffer, start, end, (name, value) => {
      sink?.field(name, value);
    });
    if (endStream) this.events.ended(streamId);
  }

  private onSettings(buffer: Buffer, start: number, end: number): void {
    for (let at = start; at + 6 <= end; at += 6) {
      const id = buffer.readUInt16BE(at);
      const value = buffer.readUInt32BE(at + 2);
      if (id === settingId.initialWindowSize) this.outbound.setStreamWindow(value);
      else if (id === settingId.maxFrameSize) this.outbound.setMaxFrameBytes(value);
      else if (id === settingId.headerTableSize && value < wantedTableBytes) {
        this.tableUsable = false;
        this.tableReset = true;
      }
    }
    this.outbound.control(encodeFrame(frameType.settings, frameFlag.ack, 0, Buffer.alloc(0)));
    if (this.ready) return;
    this.ready = true;
    this.events.ready();
  }

  private onClosed(opened: boolean, reason: string): void {
    if (this.closing) return;
    this.closing = true;
    this.mark.close();
    this.events.closed(opened, this.fault === '' ? reason : this.fault);
  }
}
