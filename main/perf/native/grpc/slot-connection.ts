import { Http2Session, type Http2SessionEvents, type Http2SessionOptions } from '../http2/session';
import type { TransportEvents } from '../seam/transport';

interface GrpcConnectionEvents extends Pick<TransportEvents, 'success' | 'failure'> {
  /** No further request may start here; those under way go on. */
  retired(connection: GrpcSlotConnection): void;
  /** The requests of `slots` were under way, or waited for the connection. */
  lost(connection: GrpcSlotConnection, opened: boolean, reason: string, slots: readonly number[]): void;
}

export interface GrpcConnectionOptions extends Omit<Http2SessionOptions, 'events'> {
  /** The load has one request under way at a time: nobody waits while the model's instance writes all of an answer. Of effect for calls. */
  readonly alone: boolean;
  /** The whole gRPC message of the next request. */
  readonly nextMessage: (slot: number) => Buffer;
  /** The outputs come in shared memory. */
  readonly shared: boolean;
  /** Of a response, what is read at most. */
  readonly replyLimitBytes: number;
  /** The first response to the slot's request is there, or comes: whether it and those behind it are looked at. */
  readonly looks: (slot: number) => boolean;
  /** A response without fault that is looked at; its bytes are there until this returns. */
  readonly look: (slot: number, buffer: Buffer, start: number, end: number) => void;
  readonly events: GrpcConnectionEvents;
}

/** One HTTP/2 connection that carries the requests of a few slots: what calls and streams have in common. */
export abstract class GrpcSlotConnection {
  protected abstract readonly session: Http2Session;
  private waiting: number[] = [];
  private retired = false;

  constructor(protected readonly options: GrpcConnectionOptions) {}

  /** Sends the slot's next request as soon as the connection stands. */
  start(slot: number): void {
    if (!this.session.isReady) {
      this.waiting.push(slot);
      return;
    }
    this.begin(slot);
    this.session.flush();
  }

  /** Nothing more is told after this. */
  close(): void {
    this.session.close();
  }

  /** Gives the slot's next request to the session; the flush is the caller's. */
  protected abstract begin(slot: number): void;

  protected abstract hasRequests(): boolean;

  /** Fails the requests on streams above `last`. */
  protected abstract failAbove(last: number, kind: string, message: string): void;

  /** Forgets all streams. @returns the slots that had a request under way. */
  protected abstract takeSlots(): number[];

  /** A session with the events of the streams given, and those of the connection handled here. */
  protected connect(
    streams: Pick<Http2SessionEvents, 'fieldsOf' | 'data' | 'due' | 'room' | 'ended' | 'reset'>,
  ): Http2Session {
    const { host, port, tls, blocks, requestBytes, events } = this.options;
    return new Http2Session({
      ...{ host, port, tls, blocks, requestBytes },
      events: {
        ...streams,
        ready: () => {
          for (const slot of this.takeWaiting()) this.begin(slot);
        },
        goAway: (last, text) => {
          this.retire();
          this.failAbove(last, 'UNAVAILABLE', `the server is closing the connection ${text}`.trim());
        },
        idle: () => this.retired && !this.hasRequests(),
        closed: (opened, reason) => {
          events.lost(this, opened, reason, [...this.takeSlots(), ...this.takeWaiting()]);
        },
      },
    });
  }

  protected retire(): void {
    if (this.retired) return;
    this.retired = true;
    this.options.events.retired(this);
  }

  private takeWaiting(): number[] {
    const { waiting } = this;
    this.waiting = [];
    return waiting;
  }
}
