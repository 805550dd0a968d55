import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { requestTriton } from '../../../main/triton/http';
import { rejection } from '../../support/rejection';

const servers: Http2Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that speaks only HTTP/2, without TLS. @returns its address */
async function serving(
  answer: (stream: ServerHttp2Stream, path: string, body: string) => void,
): Promise<string> {
  const server = createServer();
  servers.push(server);
  server.on('stream', (stream, headers) => {
    const parts: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => answer(stream, String(headers[':path']), Buffer.concat(parts).toString()));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = { method: 'GET', path: '/v2', timeoutMs: 5000 } as const;

describe('a server that speaks only HTTP/2 without TLS', () => {
  it('is asked in HTTP/2', async () => {
    const address = await serving((stream, path, body) => {
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      stream.end(JSON.stringify({ path, body }));
    });
    const { status, headers, body } = await requestTriton(address, get);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(JSON.parse(body.toString())).toEqual({ path: '/v2', body: '' });
    const sent = { ...get, method: 'POST', path: '/v2/models/m/infer', body: Buffer.from('{}') } as const;
    expect(JSON.parse((await requestTriton(address, sent)).body.toString())).toMatchObject({ body: '{}' });
  });

  it('has errors as results', async () => {
    const address = await serving((stream) => {
      stream.respond({ ':status': 404 });
      stream.end('{"error":"unknown model"}');
    });
    expect(await requestTriton(address, get)).toMatchObject({ status: 404 });
  });

  it('is a gRPC port where it answers as one', async () => {
    const address = await serving((stream) => {
      stream.respond({ ':status': 415, 'content-type': 'application/grpc' }, { endStream: true });
    });
    expect((await rejection(requestTriton(address, get))).message).toContain('is a gRPC port');
    const resetting = await serving((stream) => stream.close(2));
    expect((await rejection(requestTriton(resetting, get))).message).toContain('is a gRPC port');
  });

  it('has the same limits of size and time', async () => {
    const large = await serving((stream) => {
      stream.respond({ ':status': 200 });
      stream.end('x'.repeat(4096));
    });
    const error = await rejection(requestTriton(large, { ...get, maxResponseBytes: 1024 }));
    expect(error.message).toContain('sent a reply of more than');
    const silent = await serving(() => undefined);
    expect((await rejection(requestTriton(silent, { ...get, timeoutMs: 300 }))).message).toContain(
      'no answer within 0.3 s',
    );
  });
});
