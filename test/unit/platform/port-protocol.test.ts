import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2 } from 'node:http2';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, it } from 'vitest';
import { askPort } from '../../../main/platform/port-protocol';
import { createTritonClient } from '../../../main/triton/client';

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
