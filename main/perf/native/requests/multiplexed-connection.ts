import { Http2Session, type Http2SessionEvents, type Http2SessionOptions } from '../http2/session';
import { cancelled, type TransportEvents } from '../seam/transport';
import type { ConnectTimes } from '../socket/socket';

interface MultiplexedEvents extends Pick<TransportEvents, 'success' | 'failure'> {
  opened(times: ConnectTimes): void;
  /** No further request may start here; active ones continue. */
  retired(connection: MultiplexedConnection): void;
  /** Requests of `slots` were active or waiting. */
  lost(connection: MultiplexedConnection, opened: boolean, reason: string, slots: readonly number[]): void;
}

export interface MultiplexedOptions extends Omit<Http2SessionOptions, 'events'> {
  readonly events: MultiplexedEvents;
}

/** An HTTP/2 connection shared by a few slots, for unary calls or streams. */
export abstract class MultiplexedConnection<Options extends MultiplexedOptions = MultiplexedOptions> {
  protected abstract readonly session: Http2Session;
  private waiting: number[] = [];
  private retired = false;

  constructor(protected readonly options: Options) {}

  /** Sends as soon as the connection is open. */
  start(slot: number): void {
    if (!this.session.isReady) {
      this.waiting.push(slot);
      return;
    }
    this.begin(slot);
    this.session.flush();
  }

  /** Ends the slot's request, which fails; nothing where it has none. */
  cancel(slot: number): void {
    const waiting = this.waiting.indexOf(slot);
    if (waiting >= 0) {
      this.waiting.splice(waiting, 1);
      this.options.events.failure(slot, cancelled.kind, cancelled.message);
      return;
    }
    this.abandon(slot);
    this.session.flush();
  }

  /** No events after this. */
  close(): void {
    this.session.close();
  }

  /** Resets the stream of the slot's request, which fails. */
  protected abstract abandon(slot: number): void;

  /** Passes the slot's next request to the session; the caller flushes. */
  protected abstract begin(slot: number): void;

  protected abstract hasRequests(): boolean;

  /** Fails the requests on streams above `last`. */
  protected abstract failAbove(last: number, kind: string, message: string): void;

  /** Forgets all streams. @returns slots with an active request */
  protected abstract takeSlots(): number[];

  /** Opens a session whose connection events are handled here. */
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
        opened: (times) => events.opened(times),
        closed: (opened, reason) =>
          events.lost(this, opened, reason, [...this.takeSlots(), ...this.takeWaiting()]),
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
