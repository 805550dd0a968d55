import { errorWords } from '../../../triton/http';
import { decodedBody, HttpResponseChecker } from '../http1/messages';
import { ReplyFields } from '../http1/reply-head';
import type { Http2Session } from '../http2/session';
import type { MultiplexedOptions } from '../requests/multiplexed-connection';
import { UnaryConnection } from '../requests/unary-connection';
import { ReplyTooLarge } from '../seam/load-job';
import { type Failure, nowUs } from '../seam/transport';
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
export class Http2Connection extends UnaryConnection<Http2ConnectionOptions, Exchange> {
  protected readonly session: Http2Session;
  private readonly checker: HttpResponseChecker;

  constructor(options: Http2ConnectionOptions) {
    super(options);
    this.checker = new HttpResponseChecker(options.shared, options.json);
    this.session = this.connectStreams({
      data: (streamId, buffer, start, end) => this.onData(streamId, buffer, start, end),
    });
  }

  protected begin(slot: number): void {
    const exchange = new Exchange(slot, nowUs());
    const { fields, body } = this.options.nextRequest(slot);
    this.send(exchange, body, fields);
    exchange.sendUs = nowUs() - exchange.startUs;
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

  protected finish(streamId: number, exchange: Exchange): void {
    this.settle(streamId, exchange);
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
}
