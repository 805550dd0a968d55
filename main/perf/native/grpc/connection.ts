import { defaultWindowBytes } from '../http2/frame-reader';
import type { Http2Session } from '../http2/session';
import { MultiplexedConnection, type MultiplexedOptions } from '../requests/multiplexed-connection';
import { ReplyTooLarge } from '../seam/load-job';
import { cancelled, nowUs } from '../seam/transport';
import type { MessageSink } from './message-reader';
import { grpcPrefixBytes } from './request';
import { GrpcResponseChecker } from './response';
import { GrpcStream } from './stream';

export interface GrpcConnectionOptions extends MultiplexedOptions {
  /** Concurrency 1 of unary calls: no other request waits while the model instance writes a response. */
  readonly alone: boolean;
  /** The next request as a gRPC message. */
  readonly nextMessage: (slot: number) => Buffer;
  /** Outputs are in shared memory. */
  readonly shared: boolean;
  /** Maximum bytes of a response. */
  readonly replyLimitBytes: number;
  /** Whether the responses to the slot's current request are checked; called at the first of them. */
  readonly isChecked: (slot: number) => boolean;
  /** A valid response to check; the buffer is only valid during the call. */
  readonly check: (slot: number, buffer: Buffer, start: number, end: number) => void;
  /** Streams pass the text of their answers on. */
  readonly keepsTexts?: boolean | undefined;
}

/** Unary calls. */
export class GrpcConnection extends MultiplexedConnection<GrpcConnectionOptions> {
  protected readonly session: Http2Session;
  private readonly checker: GrpcResponseChecker;
  private readonly bySlot = new Map<number, GrpcStream>();
  private readonly active = new Map<number, GrpcStream>();
  private messageStream: GrpcStream | null = null;

  constructor(options: GrpcConnectionOptions) {
    super(options);
    this.checker = new GrpcResponseChecker(options.shared);
    this.session = this.connect({
      fieldsOf: (streamId) => this.active.get(streamId),
      data: (streamId, buffer, start, end) => {
        const stream = this.active.get(streamId);
        if (stream === undefined) return;
        this.messageStream = stream;
        try {
          stream.reader.push(buffer, start, end, this.sink);
        } catch (error) {
          if (!(error instanceof ReplyTooLarge)) throw error;
          this.session.cancel(streamId);
          this.fail(streamId, error.kind, error.message);
          return;
        }
        if (stream.reader.messageBytes > defaultWindowBytes) this.open(streamId, stream);
      },
      due: () => {
        const stream = this.messageStream;
        // Only while no other call can interleave.
        if (stream?.isChecked !== false || stream.fault !== '' || this.active.size !== 1) return 0;
        // Small responses arrive whole, without the skimmer.
        return stream.reader.complete ? 0 : stream.skimmer.contentDue;
      },
      room: (streamId, count) => this.active.get(streamId)?.reader.room(count) ?? null,
      ended: (streamId) => {
        const stream = this.active.get(streamId);
        if (stream !== undefined) this.finish(streamId, stream);
      },
      reset: (streamId, code) =>
        this.fail(streamId, 'stream reset', `the server reset the stream with HTTP/2 error ${code}`),
    });
  }

  protected hasRequests(): boolean {
    return this.active.size > 0;
  }

  protected failAbove(last: number, kind: string, message: string): void {
    for (const streamId of [...this.active.keys()]) if (streamId > last) this.fail(streamId, kind, message);
  }

  protected abandon(slot: number): void {
    for (const [streamId, stream] of this.active) {
      if (stream.slot !== slot) continue;
      this.session.cancel(streamId);
      this.fail(streamId, cancelled.kind, cancelled.message);
      return;
    }
  }

  protected takeSlots(): number[] {
    const slots = [...this.active.values()].map((stream) => stream.slot);
    this.active.clear();
    return slots;
  }

  protected begin(slot: number): void {
    const startUs = nowUs();
    let stream = this.bySlot.get(slot);
    if (stream === undefined) {
      stream = new GrpcStream(slot, this.options.shared, this.options.replyLimitBytes);
      this.bySlot.set(slot, stream);
    }
    // Assumes the size of the slot's previous response.
    const large = stream.reader.messageBytes > defaultWindowBytes;
    stream.begin(startUs);
    const { session } = this;
    const streamId = session.nextStreamId();
    this.active.set(streamId, stream);
    session.outbound.request(streamId, session.headerBlock(), this.options.nextMessage(stream.slot));
    if (large && this.options.alone) this.open(streamId, stream);
    stream.sendUs = nowUs() - startUs;
    if (session.exhausted) this.retire();
  }

  /** Collects responses to check; others are validated without keeping contents. */
  private readonly sink: MessageSink = {
    message: (buffer, start, end) => {
      const stream = this.messageStream;
      if (stream === null) return;
      this.decode(stream, () => {
        this.checker.check(buffer, start, end);
      });
      if (stream.fault !== '') return;
      stream.isChecked ??= this.options.isChecked(stream.slot);
      if (stream.isChecked) this.options.check(stream.slot, buffer, start, end);
    },
    gathers: () => {
      const stream = this.messageStream;
      if (stream === null) return false;
      stream.isChecked = this.options.isChecked(stream.slot);
      if (!stream.isChecked) stream.skimmer.begin(stream.reader.messageBytes - grpcPrefixBytes);
      return stream.isChecked;
    },
    piece: (buffer, start, end) => {
      const stream = this.messageStream;
      if (stream === null || stream.fault !== '') return;
      this.decode(stream, () => {
        stream.skimmer.push(buffer, start, end);
      });
    },
  };

  private decode(stream: GrpcStream, decoding: () => void): void {
    const startUs = nowUs();
    try {
      decoding();
    } catch (error) {
      stream.fault = error instanceof Error ? error.message : String(error);
    }
    stream.recvUs += nowUs() - startUs;
  }

  private open(streamId: number, stream: GrpcStream): void {
    if (stream.windowOpen) return;
    stream.windowOpen = true;
    this.session.openWindow(streamId);
  }

  private finish(streamId: number, stream: GrpcStream): void {
    this.forget(streamId, stream);
    // Responded before the request was sent completely: cancel the rest.
    if (this.session.outbound.drop(streamId)) this.session.cancel(streamId);
    const failure = stream.failure();
    const { events } = this.options;
    if (failure === null) {
      events.success(stream.slot, stream.startUs, nowUs(), stream.sendUs, stream.recvUs);
    } else {
      events.failure(stream.slot, failure.kind, failure.message);
    }
  }

  private forget(streamId: number, stream: GrpcStream): void {
    this.active.delete(streamId);
    if (this.messageStream === stream) this.messageStream = null;
  }

  private fail(streamId: number, kind: string, message: string): void {
    const stream = this.active.get(streamId);
    this.session.outbound.drop(streamId);
    if (stream === undefined) return;
    this.forget(streamId, stream);
    this.options.events.failure(stream.slot, kind, message);
  }
}
