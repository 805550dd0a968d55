import { connect } from 'node:net';
import type { Socket } from 'node:net';

const connectTimeoutMs = 2000;
const readBytes = 256 * 1024;

export interface SocketEvents {
  opened(): void;
  /** The buffer is used again after the call. */
  received(buffer: Buffer, length: number): void;
  /** Told once; `opened` false when no connection came about. */
  closed(opened: boolean, reason: string): void;
}

/** A TCP connection without Nagle's delay that reads into one buffer of its own: no allocation per read. */
export function openSocket(host: string, port: number, events: SocketEvents): Socket {
  const state = { opened: false, reason: '' };
  const socket = connect({
    host,
    port,
    noDelay: true,
    autoSelectFamily: true,
    onread: {
      buffer: Buffer.alloc(readBytes),
      callback: (length, buffer) => {
        events.received(buffer as Buffer, length);
        return true;
      },
    },
  });
  const timer = setTimeout(() => {
    state.reason = `no connection within ${connectTimeoutMs / 1000} s`;
    socket.destroy();
  }, connectTimeoutMs);
  socket.once('connect', () => {
    clearTimeout(timer);
    state.opened = true;
    events.opened();
  });
  socket.once('end', () => {
    state.reason = 'closed by the server';
    socket.destroy();
  });
  socket.on('error', (error) => {
    if (state.reason === '') state.reason = error.message === '' ? error.name : error.message;
  });
  socket.once('close', () => {
    clearTimeout(timer);
    events.closed(state.opened, state.reason === '' ? 'closed' : state.reason);
  });
  return socket;
}
