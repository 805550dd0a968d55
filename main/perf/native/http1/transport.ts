import type { Socket } from 'node:net';
import { errorWords } from '../../../triton/http';
import type { OutputValidator } from '../requests/output-validator';
import type { RequestSource } from '../requests/request-source';
import { type LoadJob, ReplyTooLarge } from '../seam/load-job';
import {
  authorityOf,
  type Failure,
  nowUs,
  type ReconnectPolicy,
  type TransportEvents,
} from '../seam/transport';
import { type ConnectTimes, openSocket, type SocketTarget } from '../socket/socket';
import { encodeHttpRequest } from './infer-request';
import { decodedBody, decodeHttpOutputs, HttpReplyReader, HttpResponseChecker } from './messages';
import type { ReplyHead } from './reply-head';
import { SlotTransport } from './slot-transport';

interface Owner {
  readonly target: SocketTarget;
  opened(times: ConnectTimes): void;
  readonly events: Pick<TransportEvents, 'success'>;
  readonly shared: boolean;
  readonly json: boolean;
  readonly replyLimitBytes: number;
  readonly source: Pick<RequestSource, 'next' | 'payloadOf'>;
  readonly validator: OutputValidator | null;
  readonly losses: Pick<ReconnectPolicy, 'succeeded'>;
  settle(slot: number): void;
  failed(slot: number, kind: string, message: string): void;
  /** The connection closed after its last reply. */
  ended(connection: HttpConnection): void;
  lost(connection: HttpConnection, opened: boolean, reason: string): void;
}

/** Upper limit of an error reply. */
const mostErrorBytes = 4096;

/** A slot's own keep-alive connection, like a perf_analyzer thread's. */
class HttpConnection {
  private readonly socket: Socket;
  private readonly checker: HttpResponseChecker;
  private readonly reader: HttpReplyReader;
  private open = false;
  private wanted = false;
  private busy = false;
  private closing = false;
  private fault = '';
  private requests = 0;
  private startUs = 0;
  private sendUs = -1;
  private bodyUs = 0;

  constructor(
    readonly slot: number,
    private readonly owner: Owner,
  ) {
    this.checker = new HttpResponseChecker(owner.shared, owner.json);
    this.reader = new HttpReplyReader(
      {
        bodyBegins: () => {
          this.bodyUs = nowUs();
        },
        reply: (reply, buffer, start, end) => this.onReply(reply, buffer, start, end),
      },
      owner.replyLimitBytes,
    );
    this.socket = openSocket(owner.target, {
      opened: (times) => {
        this.open = true;
        owner.opened(times);
        if (this.wanted) this.send();
      },
      received: (buffer, length) => this.receive(buffer, length),
      room: () => this.reader.room(),
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
    this.requests += 1;
    this.startUs = nowUs();
    this.bodyUs = this.startUs;
    this.socket.write(this.owner.source.next(this.slot));
    if (this.socket.writableLength === 0) {
      this.sendUs = nowUs() - this.startUs;
      return;
    }
    this.sendUs = -1;
    const request = this.requests;
    // The empty write's callback tells when the kernel has taken the last byte.
    this.socket.write('', () => {
      if (this.requests === request && this.sendUs < 0) this.sendUs = nowUs() - this.startUs;
    });
  }

  private receive(buffer: Buffer, length: number): void {
    try {
      if (!this.busy) throw new Error('bytes that nobody asked for');
      this.reader.push(buffer, length);
    } catch (error) {
      if (error instanceof ReplyTooLarge) {
        this.refuse(error);
        return;
      }
      this.fault = error instanceof Error ? error.message : String(error);
      this.socket.destroy();
    }
  }

  private onClosed(opened: boolean, reason: string): void {
    if (this.closing) return;
    try {
      // The end of the connection may be that of the reply.
      if (this.fault === '' && this.busy && this.reader.closed()) return;
    } catch (error) {
      this.fault = error instanceof Error ? error.message : String(error);
    }
    this.closing = true;
    this.owner.lost(this, opened, this.fault === '' ? reason : this.fault);
  }

  /** The rest of an oversized reply is not read, so the connection is closed. */
  private refuse(error: ReplyTooLarge): void {
    this.busy = false;
    this.close();
    this.owner.ended(this);
    this.owner.failed(this.slot, error.kind, error.message);
  }

  private onReply(reply: ReplyHead, buffer: Buffer, start: number, end: number): void {
    this.busy = false;
    let endUs = nowUs();
    const fault = this.faultOf(reply, buffer.subarray(start, end), () => {
      // Taken before the response is checked.
      endUs = nowUs();
    });
    const { startUs } = this;
    // The server may respond before it has read everything.
    const sendUs = this.sendUs < 0 ? this.bodyUs - startUs : this.sendUs;
    if (!reply.keepAlive) {
      this.close();
      this.owner.ended(this);
    }
    if (fault === null) {
      this.owner.losses.succeeded();
      this.owner.events.success(this.slot, startUs, endUs, sendUs, endUs - this.bodyUs);
    } else {
      this.owner.failed(this.slot, fault.kind, fault.message);
    }
  }

  /** @param read the reply is read as far as a client does */
  private faultOf(reply: ReplyHead, received: Buffer, read: () => void): Failure | null {
    try {
      const { status, encoding, jsonBytes } = reply;
      const body = encoding === '' ? received : decodedBody(encoding, received, this.owner.replyLimitBytes);
      if (status !== 200) {
        const text = body.toString('utf8', 0, Math.min(body.length, mostErrorBytes));
        return { kind: `HTTP ${status}`, message: errorWords(text) };
      }
      this.checker.check(body, 0, body.length, jsonBytes);
      read();
      this.check(body, 0, body.length, jsonBytes);
      return null;
    } catch (error) {
      return { kind: 'bad response', message: error instanceof Error ? error.message : String(error) };
    }
  }

  private check(buffer: Buffer, start: number, end: number, jsonBytes: number): void {
    const { validator, source } = this.owner;
    const payload = source.payloadOf(this.slot);
    if (validator?.begin(this.slot, payload) === true) {
      validator.check(this.slot, payload, () => decodeHttpOutputs(buffer, start, end, jsonBytes));
    }
    this.owner.settle(this.slot);
  }
}

/** Raw tensors by the binary tensor data extension, or JSON; one connection per slot. */
export class HttpTransport extends SlotTransport<HttpConnection> {
  private readonly owner: Owner;

  constructor(job: LoadJob, events: TransportEvents) {
    const authority = authorityOf(job);
    super(
      job,
      events,
      (inputs, shared, sequence) => encodeHttpRequest(job, authority, inputs, shared, sequence),
      job.concurrency,
    );
    this.owner = {
      ...this.ofSlots(),
      ...{ validator: this.validator, shared: job.shared !== null, json: job.json === true },
      settle: (slot) => this.settle(slot),
    };
    this.openFirst();
  }

  protected connect(slot: number): HttpConnection {
    return new HttpConnection(slot, this.owner);
  }
}
