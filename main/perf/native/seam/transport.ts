import { WorkbenchError } from '../../../contract/errors';
import { certificateRemedy, isTlsRefused } from '../../../triton/tls';

/** A failed request: `kind` groups failures, `message` is the server's text. */
export interface Failure {
  readonly kind: string;
  readonly message: string;
}

/** Response times in microseconds. Reused after the call. */
export interface ResponseTimes {
  /** Non-empty responses, ascending. */
  readonly contentUs: readonly number[];
  /** The final response, which may be empty. */
  readonly finalUs: number;
  /** Output tokens as the server reports them; null or absent: not reported. */
  readonly tokens?: number | null;
  /** The output, where it is kept; null: not only text. */
  readonly text?: string | null;
}

/** Events of slots. Microseconds of the thread's monotonic clock. */
export interface TransportEvents {
  /**
   * `sendUs`: encoding and passing to the socket; `recvUs`: reading and parsing. `answers` if several responses are
   * possible; the request then ended with the last non-empty one.
   */
  success(
    slot: number,
    startUs: number,
    endUs: number,
    sendUs: number,
    recvUs: number,
    answers?: ResponseTimes,
  ): void;
  /** See {@link Failure}. */
  failure(slot: number, kind: string, message: string): void;
  /** Which of the prepared requests the slot sends, from 0 on; absent: the next one in turn. */
  requestOf?(slot: number): number;
  /** No more requests can be sent. Called once. */
  fatal(error: WorkbenchError): void;
}

export interface SharedChecks {
  readonly checked: number;
  readonly wrong: number;
}

/** Decoded responses, compared with the model's outputs and expected values. */
export interface OutputCheckCounts {
  readonly checked: number;
  readonly wrong: number;
  readonly compared: number;
  /** Responses searched for NaN and infinity where these are not errors, and hits. */
  readonly finiteChecked: number;
  readonly notFinite: number;
  /** Location of the first hit, or ''. */
  readonly notFiniteMessage: string;
}

/** Sends prepared requests, one at a time per slot. */
export interface Transport {
  /** Sends as soon as the connection is open. */
  start(slot: number): void;
  /** Ends the slot's request, which fails as "cancelled"; nothing where it has ended. */
  cancel(slot: number): void;
  /** Makes the slot's next request end its sequence; false without one. */
  closeSequence(slot: number): boolean;
  readonly sequencesEnded: number;
  readonly checks: SharedChecks;
  readonly outputs: OutputCheckCounts;
  /** Problems found by `checks` and `outputs`; their requests count as successful. */
  readonly faults: readonly FailureCount[];
  readonly opened: ConnectionSums;
  /** Closes all connections and drops active requests. */
  close(): void;
}

/** Of the connections that were opened: how many, and how long that took, in microseconds. */
export interface ConnectionSums {
  readonly count: number;
  readonly connectUs: number;
  /** TLS handshakes; null without TLS. */
  readonly tlsUs: number | null;
}

export const noConnections: ConnectionSums = { count: 0, connectUs: 0, tlsUs: null };

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
  /** The first one's message. */
  readonly message: string;
}

/** What a cancelled request ended with. */
export const cancelled: Failure = { kind: 'cancelled', message: 'the client cancelled the request' };

/** Further kinds are counted together, because servers choose the texts. */
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

/** `host:port`, with brackets around IPv6. */
export function authorityOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function unmeasuredRemedy(reason: string): string {
  if (isTlsRefused(reason)) return 'Give the address without TLS: http:// or grpc://.';
  return reason.includes('certificate')
    ? certificateRemedy
    : 'Check the address and the port; gRPC and HTTP use different ports.';
}

/** A lost connection fails the level if none is accepted, or if they keep dropping without a success in between. */
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

  /** The fatal error, or null to reconnect. */
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
