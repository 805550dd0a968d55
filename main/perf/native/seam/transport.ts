import { WorkbenchError } from '../../../contract/errors';
import { certificateRemedy, isTlsRefused } from '../../../triton/tls';

/** Why one request failed: `kind` is short and countable, `message` the server's own words. */
export interface Failure {
  readonly kind: string;
  readonly message: string;
}

/** When the answers to one request came; microseconds as all times here. Used again after the call. */
export interface ResponseTimes {
  /** Of each answer with content, ascending. */
  readonly contentUs: readonly number[];
  /** Of the final one, which may be without content. */
  readonly finalUs: number;
}

/** What a transport tells of the slots that send over it. Times in microseconds of this thread's monotonic clock. */
export interface TransportEvents {
  /**
   * `sendUs`: until the request is encoded and handed to the socket; `recvUs`: in which the response is read and taken apart.
   * `answers` where there may be several: the request then ended with the last that had content.
   */
  success(
    slot: number,
    startUs: number,
    endUs: number,
    sendUs: number,
    recvUs: number,
    answers?: ResponseTimes,
  ): void;
  /** One request failed; `kind` is short and countable, `message` the server's own words. */
  failure(slot: number, kind: string, message: string): void;
  /** Nothing can be sent any more. Told once. */
  fatal(error: WorkbenchError): void;
}

/** Answers in shared memory that were read back and compared. */
export interface SharedChecks {
  readonly checked: number;
  readonly wrong: number;
}

/** Responses that were decoded and held against what the model says, and against expected values. */
export interface OutputCheckCounts {
  readonly checked: number;
  readonly wrong: number;
  readonly compared: number;
  /** Of these, where NaN and infinities are not wrong, those in which they were looked for, and found. */
  readonly finiteChecked: number;
  readonly notFinite: number;
  /** Where it was found first; '' where it was not. */
  readonly notFiniteMessage: string;
}

/** Sends the prepared requests in turn: one at a time for each slot. */
export interface Transport {
  /** Sends the slot's next request, as soon as its connection stands. */
  start(slot: number): void;
  /** Lets the slot's next request end its sequence; false: it has none open. */
  closeSequence(slot: number): boolean;
  /** Sequences whose last request has been sent. */
  readonly sequencesEnded: number;
  readonly checks: SharedChecks;
  readonly outputs: OutputCheckCounts;
  /** What is wrong with the answers of `checks` and `outputs`; their requests succeeded all the same. */
  readonly faults: readonly FailureCount[];
  /** Drops all connections at once, and what is under way with them. */
  close(): void;
}

export const noOutputChecks: OutputCheckCounts = {
  checked: 0,
  wrong: 0,
  compared: 0,
  finiteChecked: 0,
  notFinite: 0,
  notFiniteMessage: '',
};

export interface FailureCount {
  readonly kind: string;
  readonly count: number;
  /** The server's words at the first of them. */
  readonly message: string;
}

/** Kinds beyond this many are counted together: the server chooses the texts. */
const maxKinds = 50;

export class FailureCounter {
  private readonly byKind = new Map<string, { count: number; message: string }>();

  add(kind: string, message: string): void {
    const key = this.byKind.has(kind) || this.byKind.size < maxKinds ? kind : 'other';
    const entry = this.byKind.get(key);
    if (entry === undefined) this.byKind.set(key, { count: 1, message: message.slice(0, 2000) });
    else entry.count += 1;
  }

  get counts(): FailureCount[] {
    return [...this.byKind].map(([kind, entry]) => ({ kind, ...entry }));
  }
}

export const nowUs = (): number => performance.now() * 1000;

/** `host:port` as HTTP names it, with brackets around an IPv6 address. */
export function authorityOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function unmeasuredRemedy(reason: string): string {
  if (isTlsRefused(reason)) return 'Give the address without TLS: http:// or grpc://.';
  return reason.includes('certificate')
    ? certificateRemedy
    : 'Check the address and the port; gRPC and HTTP use different ports.';
}

/**
 * Decides when a lost connection is one request's failure and when it is the end: nobody accepts a new one, or
 * one after the other is lost and no request succeeds in between.
 */
export class ReconnectPolicy {
  private everSucceeded = false;
  private losses = 0;

  constructor(
    private readonly where: string,
    private readonly connections: number,
  ) {}

  succeeded(): void {
    this.everSucceeded = true;
    this.losses = 0;
  }

  /** The error that ends the measuring, or null to connect anew. */
  lost(opened: boolean, reason: string): WorkbenchError | null {
    this.losses += 1;
    if (opened && this.losses <= 3 * this.connections) return null;
    return this.everSucceeded
      ? new WorkbenchError(
          'server-gone',
          `Triton at ${this.where} stopped responding during the measurement: ${reason}`,
          {
            where: this.where,
          },
        )
      : new WorkbenchError(
          'server-unreachable',
          `Triton at ${this.where} cannot be measured: ${isTlsRefused(reason) ? 'it does not speak TLS' : reason}`,
          {
            where: this.where,
            remedy: unmeasuredRemedy(reason),
          },
        );
  }
}
