import type { Socket } from 'node:net';
import { type Endpoint, isStreamed } from '../../../contract/load/generation';
import type { RequestInputs } from '../requests/batch-payloads';
import type { RequestSource } from '../requests/request-source';
import { type LoadJob, ReplyTooLarge, type RequestTarget } from '../seam/load-job';
import { authorityOf, nowUs, type ReconnectPolicy, type TransportEvents } from '../seam/transport';
import { type ConnectTimes, openSocket, type SocketTarget } from '../socket/socket';
import { SlotTransport } from './slot-transport';
import { TextExchange, type TextOutcome } from './text-exchange';

/** Length of a BYTES element before its content. */
const lengthBytes = 4;

function pathOf(endpoint: Endpoint, { modelName, modelVersion }: RequestTarget): string {
  if (endpoint === 'chat') return '/v1/chat/completions';
  if (endpoint === 'completions') return '/v1/completions';
  const version = modelVersion === '' ? '' : `/versions/${encodeURIComponent(modelVersion)}`;
  const verb = endpoint === 'generate' ? 'generate' : 'generate_stream';
  return `/v2/models/${encodeURIComponent(modelName)}${version}/${verb}`;
}

/** A complete HTTP/1.1 request. @param inputs one BYTES element, the JSON of the request */
export function encodeTextRequest(
  endpoint: Endpoint,
  target: RequestTarget,
  authority: string,
  inputs: RequestInputs,
): Buffer {
  const body = inputs[0]?.data.subarray(lengthBytes) ?? Buffer.alloc(0);
  const head = [
    `POST ${pathOf(endpoint, target)} HTTP/1.1`,
    `Host: ${authority}`,
    'Content-Type: application/json',
    `Accept: ${isStreamed(endpoint) ? 'text/event-stream' : 'application/json'}`,
    `Content-Length: ${body.length}`,
    ...(target.headers ?? []).map(({ name, value }) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

interface Owner {
  readonly endpoint: Endpoint;
  readonly target: SocketTarget;
  opened(times: ConnectTimes): void;
  readonly replyLimitBytes: number;
  readonly events: Pick<TransportEvents, 'success'>;
  readonly source: Pick<RequestSource, 'next'>;
  readonly losses: Pick<ReconnectPolicy, 'succeeded'>;
  failed(slot: number, kind: string, message: string): void;
  /** The connection closed after its last reply. */
  ended(connection: TextConnection): void;
  lost(connection: TextConnection, opened: boolean, reason: string): void;
}

/** A slot's own keep-alive connection. */
class TextConnection {
  private readonly socket: Socket;
  private readonly exchange: TextExchange;
  private open = false;
  private wanted = false;
  private busy = false;
  private closing = false;
  private fault = '';
  private startUs = 0;
  private sendUs = 0;
  private recvUs = 0;

  constructor(
    readonly slot: number,
    private readonly owner: Owner,
  ) {
    this.exchange = new TextExchange(owner.endpoint, owner.replyLimitBytes, (outcome) => this.onEnd(outcome));
    this.socket = openSocket(owner.target, {
      opened: (times) => {
        this.open = true;
        owner.opened(times);
        if (this.wanted) this.send();
      },
      received: (buffer, length) => this.receive(buffer, length),
      room: () => null,
      closed: (opened, reason) => this.onClosed(opened, reason),
    });
  }

  /** A request is active or waiting. */
  get occupied(): boolean {
    return this.busy || this.wanted;
  }

  start(): void {
    if (this.open) this.send();
    else this.wanted = true;
  }

  close(): void {
    this.closing = true;
    this.socket.destroy();
  }

  private send(): void {
    this.wanted = false;
    this.busy = true;
    this.recvUs = 0;
    this.exchange.begin();
    this.startUs = nowUs();
    this.socket.write(this.owner.source.next(this.slot));
    this.sendUs = nowUs() - this.startUs;
  }

  private receive(buffer: Buffer, length: number): void {
    const arrivedUs = nowUs();
    try {
      if (!this.busy) throw new Error('bytes that nobody asked for');
      this.exchange.push(buffer, length, arrivedUs);
      this.recvUs += nowUs() - arrivedUs;
    } catch (error) {
      if (error instanceof ReplyTooLarge) {
        this.busy = false;
        this.close();
        this.owner.ended(this);
        this.owner.failed(this.slot, error.kind, error.message);
        return;
      }
      this.fault = error instanceof Error ? error.message : String(error);
      this.socket.destroy();
    }
  }

  private onClosed(opened: boolean, reason: string): void {
    if (this.closing) return;
    if (this.fault === '' && this.busy && this.exchange.closed(nowUs())) return;
    this.closing = true;
    const within = this.busy && this.exchange.isBegun ? `${reason} before the end of its answer` : reason;
    this.owner.lost(this, opened, this.fault === '' ? within : this.fault);
  }

  private onEnd({ fault, contentUs, finalUs, tokens, text, keepAlive }: TextOutcome): void {
    this.busy = false;
    const { slot, owner, startUs, sendUs, recvUs } = this;
    if (!keepAlive) {
      this.close();
      owner.ended(this);
    }
    if (fault !== null) {
      owner.failed(slot, fault.kind, fault.message);
      return;
    }
    owner.losses.succeeded();
    const endUs = contentUs.at(-1) ?? finalUs;
    owner.events.success(slot, startUs, endUs, sendUs, recvUs, { contentUs, finalUs, tokens, text });
  }
}

/** Requests of text to a language model in JSON, whose answers come as server-sent events or in one reply. */
export class TextTransport extends SlotTransport<TextConnection> {
  private readonly owner: Owner;

  constructor(job: LoadJob, endpoint: Endpoint, events: TransportEvents) {
    const authority = authorityOf(job);
    super(job, events, (inputs) => encodeTextRequest(endpoint, job, authority, inputs), job.concurrency);
    this.owner = { endpoint, ...this.ofSlots() };
    this.openFirst();
  }

  protected connect(slot: number): TextConnection {
    return new TextConnection(slot, this.owner);
  }
}
