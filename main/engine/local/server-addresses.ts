import { connect } from 'node:net';
import { requestTriton } from '../../triton/http';
import { listeningSocketsOf } from './listening-sockets';

const probeTimeoutMs = 2000;

export interface ServerPorts {
  readonly http: number;
  readonly grpc: number;
  readonly metrics: number;
}

async function answers(port: number, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    const request = { method: 'GET', path, timeoutMs: probeTimeoutMs, signal } as const;
    return (await requestTriton(`127.0.0.1:${port}`, request)).status === 200;
  } catch {
    // gRPC does not speak HTTP/1.1.
    return false;
  }
}

const http2Preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const settingsType = 4;

/** A gRPC service answers the HTTP/2 preface with a SETTINGS frame (type in byte 3); others close or say HTTP/1.1. */
async function speaksHttp2(port: number, signal: AbortSignal): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    return await new Promise<boolean>((resolve) => {
      const no = () => {
        resolve(false);
      };
      socket.setTimeout(probeTimeoutMs, no);
      socket.once('error', no);
      socket.once('close', no);
      signal.addEventListener('abort', no, { once: true });
      socket.once('data', (chunk) => {
        resolve(chunk[3] === settingsType);
      });
      socket.write(Buffer.concat([http2Preface, emptySettings]));
    });
  } finally {
    socket.destroy();
  }
}

/**
 * Which of the ports that the process listens on is which, by asking; null while not all three are open yet.
 * Fixed ports must be among them, so another server on the same port is not mistaken for this one.
 */
export async function readServerPorts(
  pid: number,
  fixed: { readonly http: number | undefined; readonly grpc: number | undefined },
  signal: AbortSignal,
): Promise<ServerPorts | null> {
  const ports = [...new Set((await listeningSocketsOf(pid)).map((socket) => socket.port))];
  if (ports.length < 3) return null;
  const take = async (
    wanted: number | undefined,
    isIt: (port: number) => Promise<boolean>,
  ): Promise<number | undefined> => {
    for (const port of wanted === undefined
      ? [...ports]
      : ports.filter((candidate) => candidate === wanted)) {
      if (await isIt(port)) {
        ports.splice(ports.indexOf(port), 1);
        return port;
      }
    }
    return undefined;
  };
  const grpc = await take(fixed.grpc, (port) => speaksHttp2(port, signal));
  // In this order: the metrics service says 200 to every path, the HTTP service only to its own.
  const metrics = await take(undefined, (port) => answers(port, '/metrics', signal));
  const http = await take(fixed.http, (port) => answers(port, '/v2/health/live', signal));
  return http === undefined || metrics === undefined || grpc === undefined ? null : { http, metrics, grpc };
}
