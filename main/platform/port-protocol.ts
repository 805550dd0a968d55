import { connect } from 'node:net';

/** Timeout for the first byte in ms. */
const askMs = 3000;

/** HTTP/2 SETTINGS frame type, after the 3-byte length. */
const settingsFrame = 4;

/** HTTP/1.1 (answers a request) or gRPC (HTTP/2 settings), without TLS. null: refused, other, or timeout. */
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
