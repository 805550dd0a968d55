import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2 } from 'node:http2';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, it } from 'vitest';
import { ReconnectPolicy } from '../../../main/perf/native/seam/transport';
import { askPort } from '../../../main/platform/port-protocol';
import { createTritonClient } from '../../../main/triton/client';
import { requestTriton } from '../../../main/triton/http';

async function listening<Result>(
  server: Server,
  work: (address: string) => Promise<Result>,
): Promise<Result> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

it.each([
  ['http', createHttp((_request, response) => response.end())],
  ['grpc', createHttp2()],
  [null, createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'))],
  [null, createServer((socket) => socket.destroy())],
])('a port that speaks %s says so', async (protocol, server) => {
  expect(await listening(server, (address) => askPort(address))).toBe(protocol);
});

it('a gRPC port that is given as an HTTP address is said to be one', async () => {
  const asked = listening(createHttp2(), (address) => createTritonClient(address).serverMetadata());
  await expect(asked).rejects.toMatchObject({
    code: 'server-unreachable',
    message: expect.stringMatching(/^127\.0\.0\.1:\d+ is a gRPC port, not an HTTP port$/) as string,
    remedy: expect.stringContaining('by default the port before: 127.0.0.1:') as string,
  });
});

it.each([
  ['http', 'HTTP', createHttp((_request, response) => response.end())],
  ['grpc', 'gRPC', createHttp2()],
])('a port that is asked for TLS and speaks %s in the clear says so', async (scheme, protocol, server) => {
  const tls = { insecure: true };
  const asked = listening(server, (address) =>
    requestTriton(address, { method: 'GET', path: '/v2', timeoutMs: 20_000, tls }),
  );
  await expect(asked).rejects.toMatchObject({
    code: 'server-unreachable',
    message: expect.stringContaining(`does not speak TLS: it answers ${protocol} in the clear`) as string,
    remedy: expect.stringContaining(`without TLS: ${scheme}://127.0.0.1:`) as string,
  });
});

it('a connection whose handshake was answered in the clear ends with that, and not with the words of OpenSSL', () => {
  const reason =
    'C0B6:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/ssl.c:350:';
  expect(new ReconnectPolicy('host:8001', 1).lost(false, reason)).toMatchObject({
    message: 'Triton at host:8001 cannot be measured: it does not speak TLS',
    remedy: 'Give the address without TLS: http:// or grpc://.',
  });
});
