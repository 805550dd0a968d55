import { errorWords } from '../../../triton/http';
import { decodedBody, HttpResponseChecker } from '../http1/messages';
import { ReplyFields } from '../http1/reply-head';
import type { Http2Session } from '../http2/session';
import { MultiplexedConnection, type MultiplexedOptions } from '../requests/multiplexed-connection';
import { ReplyTooLarge } from '../seam/load-job';
import { cancelled, type Failure, nowUs } from '../seam/transport';
import { ReceiveBuffer } from '../socket/socket';

/** Upper limit of an error reply. */
const mostErrorBytes = 4096;
/** From this size on a reply gets a window of its own, before it uses up that of 64 KiB. */
const wideReplyBytes = 16 * 1024;

/** A prepared request: its own header fields, encoded, and its body. */
export interface PreparedRequest {
  readonly fields: Buffer;
  readonly body: Buffer;
}

export interface Http2ConnectionOptions extends MultiplexedOptions {
  readonly shared: boolean;
  readonly json: boolean;
  /** Maximum bytes of a reply. */
  readonly replyLimitBytes: number;
  readonly nextRequest: (slot: number) => PreparedRequest;
  /** Checks a valid reply's outputs where they are checked. */
  readonly check: (slot: number, body: Buffer, jsonBytes: number) => void;
}

/** A request with its reply so far. */
class Exchange {
  readonly fields = new ReplyFields();
  readonly body = new ReceiveBuffer();
  status = 0;
  sendUs = 0;
  /** -1: no byte of the body yet. */
  bodyUs = -1;
  isWide = false;

  constructor(
    readonly slot: number,
    readonly startUs: number,
  ) {}

  field(name: string, value: string): void {
    if (name === ':status') this.status = Number(value);
    else this.fields.add(name, value);
  }
}

/** Inference over HTTP/2 as gateways offer it: a stream per request. */
export class Http2Connection extends MultiplexedConnection<Http2ConnectionOptions> {
  protected readonly session: Http2Session;
  private readonly checker: HttpResponseChecker;
  private readonly active = new Map<number, Exchange>();

  constructor(options: Http2ConnectionOptions) {
    super(options);
    this.checker = new HttpResponseChecker(options.shared, options.json);
    this.session = this.connect({
      fieldsOf: (streamId) => this.active.get(streamId),
      data: (streamId, buffer, start, end) => this.onData(streamId, buffer, start, end),
      ended: (streamId) => {
        const exchange = this.active.get(streamId);
        if (exchange !== undefined) this.finish(streamId, exchange);
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
    for (const [streamId, exchange] of this.active) {
      if (exchange.slot !== slot) continue;
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

  protected begin(slot: number): void {
    const exchange = new Exchange(slot, nowUs());
    const { session } = this;
    const streamId = session.nextStreamId();
    this.active.set(streamId, exchange);
    const { fields, body } = this.options.nextRequest(slot);
    session.outbound.request(streamId, session.headerBlock(fields), body);
    exchange.sendUs = nowUs() - exchange.startUs;
    if (session.exhausted) this.retire();
  }

  private onData(streamId: number, buffer: Buffer, start: number, end: number): void {
    const exchange = this.active.get(streamId);
    if (exchange === undefined || end === start) return;
    if (exchange.bodyUs < 0) exchange.bodyUs = nowUs();
    const { body } = exchange;
    const { replyLimitBytes } = this.options;
    const bytes = body.length + end - start;
    if (bytes > replyLimitBytes) {
      const { kind, message } = new ReplyTooLarge(bytes, replyLimitBytes);
      this.session.cancel(streamId);
      this.fail(streamId, kind, message);
      return;
    }
    body.add(buffer, start, end);
    if (exchange.isWide || bytes < wideReplyBytes) return;
    exchange.isWide = true;
    this.session.openWindow(streamId);
  }

  private finish(streamId: number, exchange: Exchange): void {
    this.active.delete(streamId);
    // Answered before the request was sent completely: cancel the rest.
    if (this.session.outbound.drop(streamId)) this.session.cancel(streamId);
    const { slot, startUs, sendUs } = exchange;
    let endUs = nowUs();
    const fault = this.faultOf(exchange, () => {
      // Taken before the response is checked.
      endUs = nowUs();
    });
    const { events } = this.options;
    const bodyUs = exchange.bodyUs < 0 ? endUs : exchange.bodyUs;
    if (fault === null) events.success(slot, startUs, endUs, sendUs, endUs - bodyUs);
    else events.failure(slot, fault.kind, fault.message);
  }

  /** @param read the reply is read as far as a client does */
  private faultOf({ slot, status, fields, body: received }: Exchange, read: () => void): Failure | null {
    try {
      const { encoding, jsonBytes } = fields;
      const whole = received.bytes;
      const body = encoding === '' ? whole : decodedBody(encoding, whole, this.options.replyLimitBytes);
      if (status !== 200) {
        const text = body.toString('utf8', 0, Math.min(body.length, mostErrorBytes));
        return { kind: `HTTP ${status}`, message: errorWords(text) };
      }
      this.checker.check(body, 0, body.length, jsonBytes);
      read();
      this.options.check(slot, body, jsonBytes);
      return null;
    } catch (error) {
      return { kind: 'bad response', message: error instanceof Error ? error.message : String(error) };
    }
  }

  private fail(streamId: number, kind: string, message: string): void {
    const exchange = this.active.get(streamId);
    this.session.outbound.drop(streamId);
    if (exchange === undefined) return;
    this.active.delete(streamId);
    this.options.events.failure(exchange.slot, kind, message);
  }
}
