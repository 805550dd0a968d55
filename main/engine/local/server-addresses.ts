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
  const take = async (wanted: number | undefined, path: string): Promise<number | undefined> => {
    for (const port of wanted === undefined ? ports : ports.filter((candidate) => candidate === wanted)) {
      if (port !== fixed.grpc && (await answers(port, path, signal))) {
        ports.splice(ports.indexOf(port), 1);
        return port;
      }
    }
    return undefined;
  };
  // In this order: the metrics service says 200 to every path, the HTTP service only to its own.
  const metrics = await take(undefined, '/metrics');
  const http = await take(fixed.http, '/v2/health/live');
  const grpc = ports.find((port) => fixed.grpc === undefined || port === fixed.grpc);
  return http === undefined || metrics === undefined || grpc === undefined ? null : { http, metrics, grpc };
}
