import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import koffi from 'koffi';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  limitSendBuffer,
  readWithAtLeast,
  ReceiveLowWaterMark,
} from '../../../../../main/perf/native/socket/socket-options';

const large = 16 * 2 ** 20;
const getSocketOption = koffi
  .load(null)
  .func('int getsockopt(int file, int level, int name, _Out_ int *value, _Inout_ uint32_t *length)');
let server: Server;
let socket: Socket;

beforeEach(async () => {
  server = createServer((accepted) => accepted.resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
});

afterEach(async () => {
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** What the kernel says of the socket. */
function optionOf(name: number): number {
  const { fd } = (socket as unknown as { readonly _handle: { readonly fd: number } })._handle;
  const value = [0];
  expect(getSocketOption(fd, 1, name, value, [4])).toBe(0);
  return value[0] ?? 0;
}
const sendBufferBytes = () => optionOf(7);
const leastToRead = () => optionOf(18);

describe('the send buffer to this machine', () => {
  it('is small where requests are large', () => {
    const before = sendBufferBytes();
    expect(limitSendBuffer(socket, large)).toBe(true);
    expect(sendBufferBytes()).toBeLessThanOrEqual(2 ** 20);
    expect(sendBufferBytes()).toBeLessThan(before);
  });

  it('is left to the kernel for small requests, and for those to another machine', () => {
    const before = sendBufferBytes();
    expect(limitSendBuffer(socket, 2 ** 20 - 1)).toBe(false);
    Object.defineProperty(socket, 'remoteAddress', { value: '192.0.2.1' });
    expect(limitSendBuffer(socket, large)).toBe(false);
    expect(sendBufferBytes()).toBe(before);
  });

  it('is left alone where the socket is gone', () => {
    const gone = { remoteAddress: '127.0.0.1', _handle: null } as unknown as Socket;
    expect(limitSendBuffer(gone, large)).toBe(false);
  });
});

describe('reading a large answer in few pieces', () => {
  let mark: ReceiveLowWaterMark;
  beforeEach(() => {
    mark = new ReceiveLowWaterMark(socket);
  });
  afterEach(() => {
    mark.close();
  });

  it('wakes the reader for half a MiB while more is to come, and for any byte at the end', () => {
    expect(leastToRead()).toBe(1);
    mark.due(2 ** 20);
    expect(leastToRead()).toBe(512 * 1024);
    mark.due(512 * 1024 - 1);
    expect(leastToRead()).toBe(1);
  });

  it('goes back to any byte when nothing comes for a moment, and on when something does', async () => {
    for (let time = 0; time < 2; time += 1) {
      mark.due(2 ** 20);
      expect(leastToRead()).toBe(512 * 1024);
      await expect.poll(leastToRead).toBe(1);
    }
  });

  it('changes nothing once it is closed, and of a connection to another machine', () => {
    mark.close();
    mark.due(2 ** 20);
    Object.defineProperty(socket, 'remoteAddress', { value: '192.0.2.1' });
    expect(readWithAtLeast(socket, 2 ** 20)).toBe(false);
    new ReceiveLowWaterMark(socket).due(2 ** 20);
    expect(leastToRead()).toBe(1);
  });
});
