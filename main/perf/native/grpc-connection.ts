import { GrpcResponseChecker } from './grpc-response';
import { GrpcStream } from './grpc-stream';
import type { HeaderBlocks } from './hpack-encoder';
import { Http2Session } from './http2-session';
import type { TlsMaterial } from '../../triton/tls';
import type { AnswerTimes } from './transport';
import { nowUs } from './transport';

/** A connection that carries the requests of a few slots. */
export interface SlotConnection {
  /** Sends the slot's next request as soon as the connection stands. */
  start(slot: number): void;
  /** Nothing more is told after this. */
  close(): void;
}

export interface GrpcConnectionEvents {
  /** `answers` of requests that may have several. */
  success(
    slot: number,
    startUs: number,
    endUs: number,
    sendUs: number,
    recvUs: number,
    answers?: AnswerTimes,
  ): void;
  failure(slot: number, kind: string, message: string): void;
  /** No further request may start here; those under way go on. */
  retired(connection: SlotConnection): void;
  /** The requests of `slots` were under way, or waited for the connection. */
  lost(connection: SlotConnection, opened: boolean, reason: string, slots: readonly number[]): void;
}

export interface GrpcConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsMaterial | null;
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
export class GrpcConnection implements SlotConnection {
  private readonly session: Http2Session;
  private readonly checker: GrpcResponseChecker;
  private readonly bySlot = new Map<number, GrpcStream>();
  private readonly active = new Map<number, GrpcStream>();
  private waiting: number[] = [];
  private retired = false;
  private messageStream: GrpcStream | null = null;

  constructor(private readonly options: GrpcConnectionOptions) {
    this.checker = new GrpcResponseChecker(options.shared);
    const { host, port, tls, blocks } = options;
    this.session = new Http2Session({
      ...{ host, port, tls, blocks },
      events: {
        ready: () => {
          const { waiting } = this;
          this.waiting = [];
          for (const slot of waiting) this.begin(slot);
        },
        fieldsOf: (streamId) => this.active.get(streamId),
        data: (streamId, buffer, start, end) => {
          const stream = this.active.get(streamId);
          if (stream === undefined) return;
          this.messageStream = stream;
          stream.reader.push(buffer, start, end, this.onMessage);
        },
        ended: (streamId) => {
          const stream = this.active.get(streamId);
          if (stream !== undefined) this.finish(streamId, stream);
        },
        reset: (streamId, code) => {
          this.fail(streamId, 'stream reset', `the server reset the stream with HTTP/2 error ${code}`);
        },
        goAway: (last, text) => {
          this.onGoAway(last, text);
        },
        idle: () => this.retired && this.active.size === 0,
        closed: (opened, reason) => {
          const slots = [...[...this.active.values()].map((stream) => stream.slot), ...this.waiting];
          this.active.clear();
          this.waiting = [];
          options.events.lost(this, opened, reason, slots);
        },
      },
    });
  }

  start(slot: number): void {
    if (!this.session.isReady) {
      this.waiting.push(slot);
      return;
    }
    this.begin(slot);
    this.session.flush();
  }

  close(): void {
    this.session.close();
  }

  private begin(slot: number): void {
    const startUs = nowUs();
    let stream = this.bySlot.get(slot);
    if (stream === undefined) {
      stream = new GrpcStream(slot);
      this.bySlot.set(slot, stream);
    }
    stream.begin(startUs);
    const { session } = this;
    const streamId = session.nextStreamId();
    this.active.set(streamId, stream);
    session.outbound.request(streamId, session.headerBlock(), this.options.nextMessage(stream.slot));
    stream.sendUs = nowUs() - startUs;
    if (session.exhausted) this.retire();
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

  private finish(streamId: number, stream: GrpcStream): void {
    this.active.delete(streamId);
    // An answer before the request has gone out whole: the rest need not be sent.
    if (this.session.outbound.drop(streamId)) this.session.cancel(streamId);
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
    this.session.outbound.drop(streamId);
    if (stream === undefined) return;
    this.active.delete(streamId);
    this.options.events.failure(stream.slot, kind, message);
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
}
