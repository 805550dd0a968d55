import type { Socket } from 'node:net';
import type { TlsMaterial } from '../../../triton/tls';
import { openSocket } from '../socket/socket';
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
/** The peer may send 2 GiB; it is told that as much again is taken when half of it has come. */
const renewAfterBytes = 2 ** 30;
/** SETTINGS_HEADER_TABLE_SIZE below which the repeated header block does not count on the peer's table. */
const wantedTableBytes = 4096;
/** RFC 7541, 6.3: a change of the table's size, to 0. */
const emptyTable = 0x20;
/** RST_STREAM, error code CANCEL. */
const cancelCode = Buffer.from([0, 0, 0, 8]);

/** Takes the header and trailer fields of one stream. */
interface FieldSink {
  field(name: string, value: string): void;
}

export interface Http2SessionEvents {
  /** The peer's SETTINGS have come: streams can be opened. */
  ready(): void;
  /** undefined: nobody wants the stream's fields any more. */
  fieldsOf(streamId: number): FieldSink | undefined;
  /** Content of the stream's DATA; the buffer is only valid during the call. May throw: the connection then ends. */
  data(streamId: number, buffer: Buffer, start: number, end: number): void;
  /** Where the next `count` bytes of the stream's DATA are best read to; null: anywhere. */
  room?(streamId: number, count: number): Buffer | null;
  /** Bytes that come before anything that matters now: nobody waits for them but for their end. */
  due?(): number;
  /** The peer sends nothing more on the stream. */
  ended(streamId: number): void;
  reset(streamId: number, code: number): void;
  /** The peer goes away: what it has not begun, streams above `last`, it will not answer. */
  goAway(last: number, text: string): void;
  /** Everything that came with one read has been told; `true`: the connection can be closed. */
  idle(): boolean;
  closed(opened: boolean, reason: string): void;
}

export interface Http2SessionOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsMaterial | null;
  readonly blocks: HeaderBlocks;
  /** Of the largest request. */
  readonly requestBytes: number;
  readonly events: Http2SessionEvents;
}

/** The client's side of one HTTP/2 connection: frames, settings, flow control, header table. Streams are the owner's. */
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
  /** A header block that goes on in CONTINUATION frames. */
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
        opened: () => this.greet(),
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

  /** No further stream has a number. */
  get exhausted(): boolean {
    return this.nextId >= lastStreamId;
  }

  /** The number of the next stream. */
  nextStreamId(): number {
    const streamId = this.nextId;
    this.nextId += 2;
    return streamId;
  }

  /** The header block of the next stream; each one must go out, in this order. */
  headerBlock(): Buffer {
    const { blocks } = this.options;
    this.requests += 1;
    if (this.tableReset) {
      this.tableReset = false;
      return Buffer.concat([Buffer.from([emptyTable]), blocks.plain]);
    }
    if (!this.tableUsable) return blocks.plain;
    return this.requests === 1 ? blocks.first : blocks.later;
  }

  /** What was given to `outbound` goes out, now or at the end of the read under way. */
  flush(): void {
    if (this.reading) return;
    this.outbound.flush();
    // Of a TLS record that is not whole yet, the kernel has given away a part that is no contents yet.
    if (this.options.tls === null) this.mark.due(this.events.due?.() ?? 0);
  }

  /** The peer may send so many more bytes on the stream. */
  renew(streamId: number, bytes: number): void {
    this.outbound.control(encodeWindowUpdate(streamId, bytes));
  }

  /**
   * The peer may send all of the stream's answer; until then HTTP/2's first 64 KiB. The thread of a model instance in Triton
   * writes what the window takes of an answer itself before it goes on with the next request; the rest, another one does.
   */
  openWindow(streamId: number): void {
    this.renew(streamId, maxWindowBytes - defaultWindowBytes);
  }

  /** Tells the peer that nobody waits for the stream any more. */
  cancel(streamId: number): void {
    this.outbound.control(encodeFrame(frameType.rstStream, 0, streamId, cancelCode));
  }

  /** Nothing more is told after this. */
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
        // RFC 9113, 5.5: unknown frames are to be ignored.
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
    // Also the blocks of streams that are gone change the table.
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
