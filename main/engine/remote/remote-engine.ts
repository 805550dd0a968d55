import { connect } from 'node:net';
import type { TlsFiles } from '../../contract/address';
import { WorkbenchError } from '../../contract/errors';
import { parseRemoteUrl } from '../../contract/remote-url';
import { createTritonClient } from '../../triton/client';
import { readTls } from '../../triton/tls';
import type { Engine, ServerHandle, StartServerInput } from '../engine';

/** Measuring over gRPC needs the port that was only derived: find out now rather than in the middle of a sweep. */
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
    socket.once('timeout', () => {
      fail(`no response within ${timeoutMs / 1000} s`);
    });
    socket.once('error', (error) => {
      fail(error.message);
    });
  });
}

/** Of both interfaces; undefined in the clear. Throws combination-unsupported for what a client of a run cannot do. */
export function tlsOf(secure: boolean, files: TlsFiles | undefined): TlsFiles | undefined {
  if (!secure) return undefined;
  if (files?.insecure === true) {
    throw new WorkbenchError(
      'combination-unsupported',
      "The accuracy check always verifies the server's certificate",
      {
        where: 'engine.tls.insecure',
        remedy: 'Set engine.tls.caFile to the CA of the certificate, or measure with perf only.',
      },
    );
  }
  return files ?? {};
}

async function attach(
  url: string,
  files: TlsFiles | undefined,
  start: Pick<StartServerInput, 'signal'>,
): Promise<ServerHandle> {
  const address = parseRemoteUrl(url);
  const tls = tlsOf(address.secure, files);
  const client = createTritonClient(address.http, { timeoutMs: 5000, tls: await readTls(tls) });
  const { version } = await client.serverMetadata({ signal: start.signal });
  if (!(await client.serverReady({ signal: start.signal }))) {
    throw new WorkbenchError('server-unreachable', `Triton at ${address.http} responds but is not ready`);
  }
  await assertListening(address.grpc, 5000);
  return {
    httpAddress: address.http,
    grpcAddress: address.grpc,
    metricsAddress: null,
    forClients: { httpAddress: address.http, grpcAddress: address.grpc, httpTls: tls, grpcTls: tls },
    tritonVersion: version,
    // Nobody here sees its end: a call that fails says server-unreachable.
    exited: new Promise(() => undefined),
    pid: null,
    stop: () => Promise.resolve(),
  };
}

/** A Triton that runs already, anywhere; `url` is null where the engine is only asked what it is; `files` count for https. */
export function createRemoteEngine(url: string | null, files?: TlsFiles): Engine {
  return {
    kind: 'remote',
    async detect() {
      const about = 'A running Triton server; its model repository is not changed.';
      if (url === null) return { kind: 'remote', available: true, version: null, note: about, remedy: null };
      try {
        const { http, secure } = parseRemoteUrl(url);
        const { version } = await createTritonClient(http, {
          timeoutMs: 3000,
          tls: await readTls(tlsOf(secure, files)),
        }).serverMetadata();
        return { kind: 'remote', available: true, version, note: about, remedy: null };
      } catch (error) {
        const note = error instanceof Error ? error.message : String(error);
        const remedy =
          'Check the address (for example http://host:8000), and check that the server is running.';
        return { kind: 'remote', available: false, version: null, note, remedy };
      }
    },
    async startServer(input) {
      if (url === null)
        throw new WorkbenchError('input-invalid', 'The engine "remote" needs an address', {
          where: 'engine.url',
        });
      return attach(url, files, input);
    },
    sweep: () => Promise.resolve({ ended: [], removedContainers: [] }),
  };
}
