import { connect } from 'node:net';

/** Milliseconds that a port has for its first byte. */
const askMs = 3000;

/** Type of the frame that an HTTP/2 server begins with, after three bytes of length. */
const settingsFrame = 4;

/**
 * Which protocol a port speaks in the clear, `host:port` as a URL has them: an HTTP server answers a question in HTTP/1.1, a gRPC server begins
 * with the settings of HTTP/2. null: it refuses connections, answers neither way or not in time.
 */
export function askPort(address: string, timeoutMs = askMs): Promise<'http' | 'grpc' | null> {
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  return new Promise((resolve) => {
    let begun = Buffer.alloc(0);
    const socket = connect({ host, port: Number(port), timeout: timeoutMs });
    const found = (protocol: 'http' | 'grpc' | null) => {
      socket.destroy();
      resolve(protocol);
    };
    socket.once('connect', () => {
      socket.write(`GET /v2/health/live HTTP/1.1\r\nHost: ${address}\r\nConnection: close\r\n\r\n`);
    });
    socket.on('data', (part) => {
      begun = Buffer.concat([begun, part]);
      if (begun.length < 5) return;
      if (begun.toString('latin1', 0, 5) === 'HTTP/') found('http');
      else found(begun[3] === settingsFrame ? 'grpc' : null);
    });
    socket.once('timeout', () => found(null));
    socket.once('error', () => found(null));
    socket.once('close', () => found(null));
  });
}
