import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TlsFiles } from '../../../../../main/contract/address';
import type { WorkbenchError } from '../../../../../main/contract/errors';
import {
  encodeBytesField,
  encodeStringField,
  encodeVarint,
} from '../../../../../main/perf/native/grpc/protobuf';
import { GrpcTransport } from '../../../../../main/perf/native/grpc/transport';
import { requestTriton } from '../../../../../main/triton/http';
import { readTls } from '../../../../../main/triton/tls';
import { certifiedName, createCertificates, type TestCertificates } from '../../../../support/certificates';
import { rejection } from '../../../../support/rejection';

let dir: string;
let certificates: TestCertificates;
/** Of the server; the authority is for the clients' certificates. */
let identity: { readonly cert: Buffer; readonly key: Buffer; readonly ca: Buffer };
let transport: GrpcTransport | null = null;
const servers: Server[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-tls-'));
  certificates = await createCertificates(dir);
  const { server, ca } = certificates;
  identity = { cert: await readFile(server.cert), key: await readFile(server.key), ca: await readFile(ca) };
});
afterEach(() => {
  transport?.close();
  transport = null;
  for (const server of servers.splice(0)) server.close();
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const trusted = (): TlsFiles => ({ caFile: certificates.ca, serverName: certifiedName });
const own = (): TlsFiles => ({ certFile: certificates.client.cert, keyFile: certificates.client.key });

/** What a server may present that must not be taken. */
const untrusted: [string, () => TlsFiles][] = [
  ['another authority', () => ({ ...trusted(), caFile: certificates.otherCa })],
  ['another name', () => ({ ...trusted(), serverName: 'else.test' })],
  ['the address, which it does not bear', () => ({ caFile: certificates.ca })],
  ["none of the system's authorities", () => ({ serverName: certifiedName })],
];

const message = (() => {
  const tensor = Buffer.concat([
    encodeStringField(1, 'OUTPUT'),
    encodeStringField(2, 'FP32'),
    encodeBytesField(3, encodeVarint(2)),
  ]);
  const body = Buffer.concat([encodeBytesField(5, tensor), encodeBytesField(6, Buffer.alloc(8))]);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
})();

/** An HTTP/2 server that succeeds; `lengths` of what it received. */
async function serve(options: { readonly mutual?: boolean; readonly lengths?: Set<number> } = {}) {
  const { mutual = false, lengths = new Set() } = options;
  const server = createSecureServer({ ...identity, requestCert: mutual, rejectUnauthorized: mutual });
  server.on('sessionError', () => undefined);
  server.on('stream', (stream, headers) => {
    expect(headers[':scheme']).toBe('https');
    let bytes = 0;
    stream.on('error', () => undefined);
    stream.on('data', (part: Buffer) => (bytes += part.length));
    stream.on('end', () => {
      lengths.add(bytes);
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => {
        stream.sendTrailers({ 'grpc-status': '0' });
      });
      stream.end(message);
    });
  });
  return listen(server);
}

interface Outcome {
  readonly succeeded: number;
  readonly failed: number;
  readonly fatal: WorkbenchError | null;
}

async function drive(address: string, files: TlsFiles, requests: number, bytes = 64): Promise<Outcome> {
  const tls = await readTls(files);
  const concurrency = 7;
  return new Promise((resolve) => {
    const counts = { started: 0, succeeded: 0, failed: 0 };
    const next = (slot: number) => {
      if (counts.started < requests) {
        counts.started += 1;
        transport?.start(slot);
      } else if (counts.succeeded + counts.failed === requests) {
        resolve({ succeeded: counts.succeeded, failed: counts.failed, fatal: null });
      }
    };
    transport = new GrpcTransport(
      {
        ...{ host: '127.0.0.1', port: Number(address.split(':')[1]), protocol: 'grpc', tls, concurrency },
        ...{ modelName: 'm', modelVersion: '1', batchSize: 1, batched: false, schedule: null, shared: null },
        outputChecks: null,
        tensors: [{ name: 'X', datatype: 'UINT8', shape: [bytes], samples: [Buffer.alloc(bytes)] }],
        ...{ sequences: null, streaming: false, warmupMs: 0, requestCount: 1, intervalMs: 1000 },
        mode: 'time_windows',
      },
      {
        success: (slot) => {
          counts.succeeded += 1;
          next(slot);
        },
        failure: (slot) => {
          counts.failed += 1;
          next(slot);
        },
        fatal: (fatal) => {
          resolve({ succeeded: counts.succeeded, failed: counts.failed, fatal });
        },
      },
    );
    for (let slot = 0; slot < concurrency; slot += 1) next(slot);
  });
}

describe('gRPC over TLS', () => {
  it('agrees on HTTP/2 and carries small and large messages whole', async () => {
    const lengths = new Set<number>();
    const address = await serve({ lengths });
    expect(await drive(address, trusted(), 100)).toEqual({ succeeded: 100, failed: 0, fatal: null });
    transport?.close();
    expect(await drive(address, trusted(), 10, 1_000_000)).toMatchObject({ succeeded: 10, failed: 0 });
    expect(lengths.size).toBe(2);
    expect(Math.max(...lengths)).toBeGreaterThan(1_000_000);
  });

  it.each(untrusted)('takes no certificate from or for %s', async (_what, files) => {
    const { fatal } = await drive(await serve(), files(), 10);
    expect(fatal?.code).toBe('server-unreachable');
    expect(fatal?.message).toContain('certificate');
    expect(fatal?.remedy).toContain('--tls-ca');
  });

  it('takes any when told so', async () => {
    expect(await drive(await serve(), { insecure: true }, 10)).toMatchObject({ succeeded: 10 });
  });

  it('shows a certificate of its own where one is asked for', async () => {
    const address = await serve({ mutual: true });
    expect(await drive(address, { ...trusted(), ...own() }, 10)).toMatchObject({ succeeded: 10 });
    transport?.close();
    const { fatal } = await drive(address, trusted(), 10);
    expect(fatal?.message).toContain('certificate required');
    expect(fatal?.remedy).toContain('--tls-cert');
  });

  it('needs a server that agrees on HTTP/2', async () => {
    const address = await listen(createServer(identity));
    const { fatal } = await drive(address, trusted(), 10);
    expect(fatal?.code).toBe('server-unreachable');
    expect(fatal?.message).toMatch(/ALPN|application protocol/);
  });
});

describe('HTTP over TLS', () => {
  const ask = async (address: string, files: TlsFiles, path = '/v2', body?: Uint8Array) =>
    requestTriton(address, {
      method: body === undefined ? 'GET' : 'POST',
      path,
      body,
      timeoutMs: 5000,
      tls: await readTls(files),
    });
  const answer = () =>
    listen(
      createServer(identity, (request, response) => {
        let bytes = 0;
        request.on('data', (part: Buffer) => (bytes += part.length));
        request.on('end', () => {
          response.setHeader('X-Received', String(bytes));
          if (request.url !== '/v2/silent')
            response.end(request.url === '/v2/large' ? Buffer.alloc(9e6) : '{}');
        });
      }),
    );

  it('asks and sends', async () => {
    const address = await answer();
    const got = await ask(address, trusted());
    expect([got.status, got.body.toString()]).toEqual([200, '{}']);
    const sent = await ask(address, trusted(), '/v2/x', Buffer.alloc(5000));
    expect(sent.headers.get('x-received')).toBe('5000');
    expect((await ask(address, { insecure: true })).status).toBe(200);
  });

  it.each(untrusted)('takes no certificate from or for %s', async (_what, files) => {
    const error = await rejection(ask(await answer(), files()));
    expect(error.code).toBe('server-unreachable');
    expect(error.message).toContain('certificate');
    expect(error.remedy).toContain('--tls-server-name');
  });

  it('has an end, and a bound of its reply', async () => {
    const address = await answer();
    expect((await rejection(ask(address, trusted(), '/v2/large'))).message).toContain('more than 8 MB');
    const tls = await readTls(trusted());
    const silent = requestTriton(address, { method: 'GET', path: '/v2/silent', timeoutMs: 200, tls });
    expect((await rejection(silent)).message).toContain('no answer within');
    const abort = new AbortController();
    const { signal } = abort;
    const cancelled = requestTriton(address, {
      method: 'GET',
      path: '/v2/silent',
      timeoutMs: 9000,
      tls,
      signal,
    });
    abort.abort();
    expect((await rejection(cancelled)).code).toBe('cancelled');
  });
});

describe('the files', () => {
  it.each([
    ['a certificate without its key', () => ({ certFile: certificates.client.cert })],
    ['one that is not there', () => ({ caFile: join(dir, 'none.pem') })],
    ['one that is no PEM', () => ({ caFile: join(dir, 'server.ext') })],
  ])('are refused: %s', async (_what, files: () => TlsFiles) => {
    expect((await rejection(readTls(files()))).code).toBe('input-invalid');
  });
});
