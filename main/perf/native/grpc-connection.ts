import type { Socket } from 'node:net';
import { GrpcResponseChecker } from './grpc-response';
import { GrpcStream } from './grpc-stream';
import type { HeaderBlocks } from './hpack-encoder';
import { HpackDecoder } from './hpack-decoder';
import { Http2FrameReader } from './http2-frame-reader';
import {
  connectionPreface,
  defaultWindowBytes,
  encodeFrame,
  encodeSettings,
  encodeWindowUpdate,
  frameFlag,
  frameType,
  maxWindowBytes,
  ownMaxFrameBytes,
  settingId,
} from './http2-frames';
import { Http2Outbound } from './http2-outbound';
import { openSocket } from './socket';
import { nowUs } from './transport';

const lastStreamId = 2 ** 31 - 1;
/** The peer may send 2 GiB; it is told that as much again is taken when half of it has come. */
const renewAfterBytes = 2 ** 30;
/** SETTINGS_HEADER_TABLE_SIZE below which the repeated header block does not count on the peer's table. */
const wantedTableBytes = 4096;
/** RFC 7541, 6.3: a change of the table's size, to 0. */
const emptyTable = 0x20;
/** RST_STREAM, error code CANCEL. */
const cancelCode = Buffer.from([0, 0, 0, 8]);

export interface GrpcConnectionEvents {
  success(slot: number, startUs: number, endUs: number, sendUs: number, recvUs: number): void;
  failure(slot: number, kind: string, message: string): void;
  /** No further request may start here; those under way go on. */
  retired(connection: GrpcConnection): void;
  /** The requests of `slots` were under way, or waited for the connection. */
  lost(connection: GrpcConnection, opened: boolean, reason: string, slots: readonly number[]): void;
}

export interface GrpcConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly blocks: HeaderBlocks;
  /** The whole gRPC message of the next request. */
  readonly nextMessage: (slot: number) => Buffer;
  /** The outputs come in shared memory. */
  readonly shared: boolean;
  /** A response without fault; its bytes are there until this returns. */
  readonly look: (slot: number, buffer: Buffer, start: number, end: number) => void;
  readonly events: GrpcConnectionEvents;
}

/** One HTTP/2 connection that carries unary calls of a few slots. */
export class GrpcConnection {
  private readonly socket: Socket;
  private readonly outbound: Http2Outbound;
  private readonly frames: Http2FrameReader;
  private readonly hpack = new HpackDecoder();
  private readonly checker: GrpcResponseChecker;
  private readonly bySlot = new Map<number, GrpcStream>();
  private readonly active = new Map<number, GrpcStream>();
  private waiting: number[] = [];
  /** The peer's SETTINGS have come. */
  private ready = false;
  private retired = false;
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
  private messageStream: GrpcStream | null = null;

  constructor(private readonly options: GrpcConnectionOptions) {
    this.checker = new GrpcResponseChecker(options.shared);
    this.frames = new Http2FrameReader({
      data: (streamId, endStream, buffer, start, end, last) => {
        this.onData(streamId, endStream, buffer, start, end, last);
      },
      frame: (type, flags, streamId, buffer, start, end) => {
        this.onFrame(type, flags, streamId, buffer, start, end);
      },
    });
    this.socket = openSocket(options.host, options.port, {
      opened: () => {
        this.greet();
      },
      received: (buffer, length) => {
        this.receive(buffer, length);
      },
      closed: (opened, reason) => {
        this.onClosed(opened && (this.ready || this.fault !== ''), reason);
      },
    });
    this.outbound = new Http2Outbound(this.socket);
  }

  start(slot: number): void {
    if (!this.ready) {
      this.waiting.push(slot);
      return;
    }
    this.begin(slot);
    if (!this.reading) this.outbound.flush();
  }

  /** Nothing more is told after this. */
  close(): void {
    this.closing = true;
    this.socket.destroy();
  }

  private begin(slot: number): void {
    const startUs = nowUs();
    let stream = this.bySlot.get(slot);
    if (stream === undefined) {
      stream = new GrpcStream(slot);
      this.bySlot.set(slot, stream);
    }
    stream.begin(startUs);
    const streamId = this.nextId;
    this.nextId += 2;
    this.active.set(streamId, stream);
    this.outbound.request(streamId, this.headerBlock(), this.options.nextMessage(stream.slot));
    stream.sendUs = nowUs() - startUs;
    if (this.nextId >= lastStreamId) this.retire();
  }

  private headerBlock(): Buffer {
    const { blocks } = this.options;
    this.requests += 1;
    if (this.tableReset) {
      this.tableReset = false;
      return Buffer.concat([Buffer.from([emptyTable]), blocks.plain]);
    }
    if (!this.tableUsable) return blocks.plain;
    return this.requests === 1 ? blocks.first : blocks.later;
  }

  private greet(): void {
    this.outbound.control(connectionPreface);
    this.outbound.control(
      encodeSettings([
        [settingId.enablePush, 0],
        [settingId.initialWindowSize, maxWindowBytes],
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
    if (this.retired && this.active.size === 0) this.close();
    else this.outbound.flush();
  }

  private readonly onMessage = (buffer: Buffer, start: number, end: number): void => {
    const stream = this.messageStream;
    if (stream === null) return;
    const startUs = nowUs();
    try {
      this.checker.check(buffer, start, end);
    } catch (error) {
      stream.fault = error instanceof Error ? error.message : String(error);
    }
    stream.recvUs = nowUs() - startUs;
    if (stream.fault === '') this.options.look(stream.slot, buffer, start, end);
  };

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
    const stream = this.active.get(streamId);
    if (stream === undefined) return;
    this.messageStream = stream;
    stream.reader.push(buffer, start, end, this.onMessage);
    if (last && endStream) this.finish(streamId, stream);
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
        this.onReset(streamId, buffer.readUInt32BE(start));
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
        this.onGoAway(buffer.readUInt32BE(start) & 0x7fffffff, buffer.toString('utf8', start + 8, end));
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
    const stream = this.active.get(streamId);
    // Also the blocks of streams that are gone change the table.
    this.hpack.decode(buffer, start, end, (name, value) => {
      stream?.field(name, value);
    });
    if (stream !== undefined && endStream) this.finish(streamId, stream);
  }

  private finish(streamId: number, stream: GrpcStream): void {
    this.active.delete(streamId);
    // An answer before the request has gone out whole: the rest need not be sent.
    if (this.outbound.drop(streamId)) {
      this.outbound.control(encodeFrame(frameType.rstStream, 0, streamId, cancelCode));
    }
    const failure = stream.failure();
    const { events } = this.options;
    if (failure === null) {
      events.success(stream.slot, stream.startUs, nowUs(), stream.sendUs, stream.recvUs);
    } else {
      events.failure(stream.slot, failure.kind, failure.message);
    }
  }

  private fail(streamId: number, kind: string, message: string): void {
    const stream = this.active.get(streamId);
    this.outbound.drop(streamId);
    if (stream === undefined) return;
    this.active.delete(streamId);
    this.options.events.failure(stream.slot, kind, message);
  }

  private onReset(streamId: number, code: number): void {
    this.fail(streamId, 'stream reset', `the server reset the stream with HTTP/2 error ${code}`);
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
    const { waiting } = this;
    this.waiting = [];
    for (const slot of waiting) this.begin(slot);
  }

  private onGoAway(last: number, text: string): void {
    this.retire();
    for (const streamId of [...this.active.keys()]) {
      if (streamId > last)
        this.fail(streamId, 'UNAVAILABLE', `the server is closing the connection ${text}`.trim());
    }
  }

  private retire(): void {
    if (this.retired) return;
    this.retired = true;
    this.options.events.retired(this);
  }

  private onClosed(opened: boolean, reason: string): void {
    if (this.closing) return;
    this.closing = true;
    const slots = [...[...this.active.values()].map((stream) => stream.slot), ...this.waiting];
    this.active.clear();
    this.waiting = [];
    this.options.events.lost(this, opened, this.fault === '' ? reason : this.fault, slots);
  }
}
