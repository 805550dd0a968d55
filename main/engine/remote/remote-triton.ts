import { connect } from 'node:net';
import { parseRemoteUrl, type TlsFiles, unverifiedRefusal } from '../../contract/address';
import { WorkbenchError } from '../../contract/errors';
import { type CallOptions, createTritonClient } from '../../triton/client';
import { readTls } from '../../triton/tls';
import type { ServerHandle } from '../engine';

interface RemoteAddress {
  readonly url: string;
  readonly tls?: TlsFiles | undefined;
}

/** Checks the derived gRPC port now rather than in the middle of a sweep. */
export function assertListening(address: string, timeoutMs: number): Promise<void> {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(address.slice(colon + 1)), timeout: timeoutMs });
    const fail = (reason: string) => {
      socket.destroy();
      reject(
        new WorkbenchError('server-unreachable', `Triton's gRPC at ${address}: ${reason}`, {
          remedy: 'If gRPC uses another port, add it to the address: http://host:8000?grpcPort=8001',
        }),
      );
    };
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => fail(`no response within ${timeoutMs / 1000} s`));
    socket.once('error', (error) => fail(error.message));
  });
}

/** undefined without TLS. Throws combination-unsupported for what the run's clients cannot do. */
function tlsOf(secure: boolean, files: TlsFiles | undefined): TlsFiles | undefined {
  if (!secure) return undefined;
  if (files?.insecure === true) {
    const { message, remedy } = unverifiedRefusal;
    throw new WorkbenchError('combination-unsupported', message, { where: 'engine.tls.insecure', remedy });
  }
  return files ?? {};
}

/** Milliseconds per request of a run. */
const runMs = 5000;

/** Throws server-unreachable unless both protocols respond and the server is ready. */
export async function openReady({ url, tls: files }: RemoteAddress, timeoutMs: number, call?: CallOptions) {
  const address = parseRemoteUrl(url);
  const tls = tlsOf(address.secure, files);
  const client = createTritonClient(address.http, { timeoutMs, tls: await readTls(tls) });
  const { version } = await client.serverMetadata(call);
  if (!(await client.serverReady(call))) {
    throw new WorkbenchError('server-unreachable', `Triton at ${address.http} responds but is not ready`);
  }
  await assertListening(address.grpc, timeoutMs);
  return { address, tls, client, version };
}

/** A running Triton, which is never stopped; `files` apply to https. Throws server-unreachable. */
export async function attachTriton(remote: RemoteAddress, signal: AbortSignal): Promise<ServerHandle> {
  const { address, tls, version } = await openReady(remote, runMs, { signal });
  return {
    httpAddress: address.http,
    grpcAddress: address.grpc,
    metricsAddress: null,
    forClients: { httpAddress: address.http, grpcAddress: address.grpc, httpTls: tls, grpcTls: tls },
    tritonVersion: version,
    // Never settles: failed calls report server-unreachable.
    exited: new Promise(() => undefined),
    pid: null,
    stop: () => Promise.resolve(),
  };
}
