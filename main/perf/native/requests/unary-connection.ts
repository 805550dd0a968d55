import type { Http2SessionEvents } from '../http2/session';
import { cancelled } from '../seam/transport';
import { MultiplexedConnection, type MultiplexedOptions } from './multiplexed-connection';

/** A request under way: receives the header fields of its answer. */
interface UnaryStream {
  readonly slot: number;
  field(name: string, value: string): void;
}

/** A stream per request, which ends with its answer. */
export abstract class UnaryConnection<
  Options extends MultiplexedOptions,
  Stream extends UnaryStream,
> extends MultiplexedConnection<Options> {
  protected readonly active = new Map<number, Stream>();

  /** The answer is complete. */
  protected abstract finish(streamId: number, stream: Stream): void;

  /** Opens a session whose streams are kept here; their content goes to `content`. */
  protected connectStreams(content: Pick<Http2SessionEvents, 'data' | 'due' | 'room'>) {
    return this.connect({
      ...content,
      fieldsOf: (streamId) => this.active.get(streamId),
      ended: (streamId) => {
        const stream = this.active.get(streamId);
        if (stream !== undefined) this.finish(streamId, stream);
      },
      reset: (streamId, code) =>
        this.fail(streamId, 'stream reset', `the server reset the stream with HTTP/2 error ${code}`),
    });
  }

  /** Begins a stream with its whole request. @param fields of this request, beside those of all. @returns its number */
  protected send(stream: Stream, body: Buffer, fields: Buffer | null = null): number {
    const { session } = this;
    const streamId = session.nextStreamId();
    this.active.set(streamId, stream);
    session.outbound.request(streamId, session.headerBlock(fields), body);
    if (session.exhausted) this.retire();
    return streamId;
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
    const slots = [...this.active.values()].map(({ slot }) => slot);
    this.active.clear();
    return slots;
  }

  /** Drops a stream from those that are kept. */
  protected forget(stream: Stream, streamId: number): void {
    if (this.active.get(streamId) === stream) this.active.delete(streamId);
  }

  /** Forgets a stream that was answered. */
  protected settle(streamId: number, stream: Stream): void {
    this.forget(stream, streamId);
    // Answered before the request was sent completely: cancel the rest.
    if (this.session.outbound.drop(streamId)) this.session.cancel(streamId);
  }

  protected fail(streamId: number, kind: string, message: string): void {
    const stream = this.active.get(streamId);
    this.session.outbound.drop(streamId);
    if (stream === undefined) return;
    this.forget(stream, streamId);
    this.options.events.failure(stream.slot, kind, message);
  }
}
