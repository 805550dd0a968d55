import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { certificateTrouble, tlsConnection, type TlsMaterial } from '../../../triton/tls';
import { limitSendBuffer } from './socket-options';

/** Longer than a stall of the machine; refused connections fail at once. */
const connectTimeoutMs = 10_000;
/** Concurrent handshakes take the server's CPU. */
const handshakeTimeoutMs = 10_000;
/** Read size: large enough for big responses, small enough for CPU caches. */
const readBytes = 512 * 1024;
/** Shared by the thread's connections: data are consumed before the next read. */
const common = Buffer.alloc(readBytes);

/** How long a connection took to open, in microseconds. */
export interface ConnectTimes {
  /** From the call to the end of TCP's handshake, with the look-up of the name. */
  readonly connectUs: number;
  /** TLS handshake after it; null without TLS. */
  readonly tlsUs: number | null;
}

interface SocketEvents {
  opened(times: ConnectTimes): void;
  /** The buffer is reused after the call. */
  received(buffer: Buffer, length: number): void;
  /** Target buffer of the next read, which avoids a copy; null: the shared one. */
  room(): Buffer | null;
  /** Called once; `opened` is false if the connection failed. */
  closed(opened: boolean, reason: string): void;
}

export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  /** null: no TLS. */
  readonly tls: TlsMaterial | null;
  /** ALPN protocol; h2 must be negotiated (RFC 9113, 3.2). */
  readonly protocol: 'h2' | 'http/1.1';
  /** Size of the largest request. */
  readonly requestBytes: number;
}

/** TCP_NODELAY; reads into existing memory without allocation. */
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
  const startMs = performance.now();
  let connectedMs = startMs;
  const opened = () => {
    clearTimeout(timer);
    state.opened = true;
    limitSendBuffer(socket, requestBytes);
    events.opened({
      connectUs: (connectedMs - startMs) * 1000,
      tlsUs: tls === null ? null : (performance.now() - connectedMs) * 1000,
    });
  };
  const refuse = (reason: string) => {
    state.reason = reason;
    socket.destroy();
  };
  let socket: Socket;
  if (tls === null) {
    socket = connect({ ...options, autoSelectFamily: true });
  } else {
    const secured = connectTls({ ...options, ...tlsConnection(tls, host), ALPNProtocols: [protocol] });
    socket = secured;
    secured.once('secureConnect', () => {
      if (protocol === 'h2' && secured.alpnProtocol !== 'h2') {
        refuse('the server does not agree on HTTP/2 (ALPN h2)');
      } else opened();
    });
  }
  socket.once('connect', () => {
    connectedMs = performance.now();
    if (tls === null) opened();
  });
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

/** Below this a separate read costs more than a copy. */
const leastRoomBytes = 16 * 1024;
/** Announced lengths are trusted up to here; memory grows with received bytes beyond. */
const believedBytes = 64 * 2 ** 20;

/** New buffer size for `needed` bytes now and `expected` announced ones. */
export function grownLength(needed: number, expected: number): number {
  return Math.max(needed, Math.min(expected, Math.max(believedBytes, 2 * needed)));
}

/** Assembles fragments in reusable memory. */
export class ReceiveBuffer {
  private kept = Buffer.alloc(0);
  private filled = 0;
  private lent: Buffer | null = null;

  /** Received bytes; only valid until the next `clear`. */
  get bytes(): Buffer {
    return this.kept.subarray(0, this.filled);
  }

  get length(): number {
    return this.filled;
  }

  clear(): void {
    this.filled = 0;
  }

  /** @param expected minimum total length, if known */
  add(buffer: Buffer, start: number, end: number, expected = 0): void {
    const length = this.filled + end - start;
    // Data that were read in place are not copied.
    if (buffer !== this.lent) {
      this.reserve(length, expected);
      buffer.copy(this.kept, this.filled, start, end);
    }
    this.filled = length;
  }

  /**
   * Buffer for the next bytes, to pass to `add` unchanged before anything else.
   * @param count maximum bytes; the buffer may be shorter
   * @returns null: not worth it
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
