import { defaultWindowBytes } from '../http2/frame-reader';
import type { Http2Session } from '../http2/session';
import type { MultiplexedOptions } from '../requests/multiplexed-connection';
import { UnaryConnection } from '../requests/unary-connection';
import { ReplyTooLarge } from '../seam/load-job';
import { nowUs } from '../seam/transport';
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
export class GrpcConnection extends UnaryConnection<GrpcConnectionOptions, GrpcStream> {
  protected readonly session: Http2Session;
  private readonly checker: GrpcResponseChecker;
  private readonly bySlot = new Map<number, GrpcStream>();
  private messageStream: GrpcStream | null = null;

  constructor(options: GrpcConnectionOptions) {
    super(options);
    this.checker = new GrpcResponseChecker(options.shared);
    this.session = this.connectStreams({
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
    });
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
    const streamId = this.send(stream, this.options.nextMessage(slot));
    if (large && this.options.alone) this.open(streamId, stream);
    stream.sendUs = nowUs() - startUs;
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

  protected finish(streamId: number, stream: GrpcStream): void {
    this.settle(streamId, stream);
    const failure = stream.failure();
    const { events } = this.options;
    if (failure === null) {
      events.success(stream.slot, stream.startUs, nowUs(), stream.sendUs, stream.recvUs);
    } else {
      events.failure(stream.slot, failure.kind, failure.message);
    }
  }

  protected override forget(stream: GrpcStream, streamId: number): void {
    super.forget(stream, streamId);
    if (this.messageStream === stream) this.messageStream = null;
  }
}
