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
  const timer = setTimeout(() => {
    refuse(`no connection within ${timeoutMs / 1000} s`);
  }, timeoutMs);
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
