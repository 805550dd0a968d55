import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { certificateTrouble, tlsConnection, type TlsMaterial } from '../../../triton/tls';
import { limitSendBuffer } from './socket-options';

/** Longer than a machine stands still; where nobody listens that is said at once. */
const connectTimeoutMs = 10_000;
/** Many handshakes at once take the server's CPU. */
const handshakeTimeoutMs = 10_000;
/** As much as a large answer is read by at a time, and yet so little that it stays in a processor's cache. */
const readBytes = 512 * 1024;
/** One for all connections of the thread: what comes is taken before anything else is read. */
const common = Buffer.alloc(readBytes);

interface SocketEvents {
  opened(): void;
  /** The buffer is used again after the call. */
  received(buffer: Buffer, length: number): void;
  /** Asked before each read: where its bytes go at once, without a copy; null: to where all connections read. */
  room(): Buffer | null;
  /** Told once; `opened` false when no connection came about. */
  closed(opened: boolean, reason: string): void;
}

export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  /** null: in the clear. */
  readonly tls: TlsMaterial | null;
  /** What is spoken above TLS, by its ALPN name; h2 must be agreed on (RFC 9113, 3.2). */
  readonly protocol: 'h2' | 'http/1.1';
  /** Of the largest request. */
  readonly requestBytes: number;
}

/** A connection without Nagle's delay that reads into memory which is there already: no allocation per read. */
export function openSocket(target: SocketTarget, events: SocketEvents): Socket {
  const { host, port, tls, protocol, requestBytes } = target;
  const state = { opened: false, reason: '' };
  const options = {
    host,
    port,
    noDelay: true,
    onread: {
      buffer: () => events.room() ?? common,
      callback: (length: number, buffer: Uint8Array) => {
        events.received(buffer as Buffer, length);
        return true;
      },
    },
  };
  const opened = () => {
    clearTimeout(timer);
    state.opened = true;
    limitSendBuffer(socket, requestBytes);
    events.opened();
  };
  const refuse = (reason: string) => {
    state.reason = reason;
    socket.destroy();
  };
  let socket: Socket;
  if (tls === null) {
    socket = connect({ ...options, autoSelectFamily: true });
    socket.once('connect', opened);
  } else {
    const secured = connectTls({ ...options, ...tlsConnection(tls, host), ALPNProtocols: [protocol] });
    socket = secured;
    secured.once('secureConnect', () => {
      if (protocol === 'h2' && secured.alpnProtocol !== 'h2') {
        refuse('the server does not agree on HTTP/2 (ALPN h2), which gRPC over TLS needs');
      } else opened();
    });
  }
  const timeoutMs = tls === null ? connectTimeoutMs : handshakeTimeoutMs;
  const timer = setTimeout(() => refuse(`no connection within ${timeoutMs / 1000} s`), timeoutMs);
  socket.once('end', () => {
    if (state.reason === '') state.reason = 'closed by the server';
    socket.destroy();
  });
  socket.on('error', (error) => {
    if (state.reason !== '') return;
    state.reason = certificateTrouble(error) ?? (error.message === '' ? error.name : error.message);
  });
  socket.once('close', () => {
    clearTimeout(timer);
    events.closed(state.opened, state.reason === '' ? 'closed' : state.reason);
  });
  return socket;
}

/** For fewer bytes a read of their own costs more than their copy. */
const leastRoomBytes = 16 * 1024;
/** A length that is announced is believed up to here; memory for more is there once as much has come. */
const believedBytes = 64 * 2 ** 20;

/** How long a buffer becomes that needs `needed` bytes now and is announced to need `expected`. */
export function grownLength(needed: number, expected: number): number {
  return Math.max(needed, Math.min(expected, Math.max(believedBytes, 2 * needed)));
}

/** Bytes that come in pieces, put together in memory that is used again for what comes after them. */
export class ReceiveBuffer {
  private kept = Buffer.alloc(0);
  private filled = 0;
  private lent: Buffer | null = null;

  /** What has come; only valid until the next `clear`. */
  get bytes(): Buffer {
    return this.kept.subarray(0, this.filled);
  }

  get length(): number {
    return this.filled;
  }

  clear(): void {
    this.filled = 0;
  }

  /** @param expected how long the whole will be at least, as far as that is known. */
  add(buffer: Buffer, start: number, end: number, expected = 0): void {
    const length = this.filled + end - start;
    // What was read to its place is there already.
    if (buffer !== this.lent) {
      this.reserve(length, expected);
      buffer.copy(this.kept, this.filled, start, end);
    }
    this.filled = length;
  }

  /**
   * The place of the next bytes, to be read into and then handed to `add` as it is, before anything else is.
   * @param count how many will come at most; the place may be shorter.
   * @returns null: not worth it.
   */
  room(count: number): Buffer | null {
    this.lent = null;
    if (count < leastRoomBytes) return null;
    this.reserve(this.filled + leastRoomBytes, this.filled + count);
    this.lent = this.kept.subarray(this.filled, this.filled + count);
    return this.lent;
  }

  private reserve(needed: number, expected: number): void {
    if (this.kept.length >= needed) return;
    const larger = Buffer.alloc(grownLength(needed, expected));
    this.kept.copy(larger, 0, 0, this.filled);
    this.kept = larger;
  }
}
