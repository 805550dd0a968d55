import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  assertPortsFree,
  listeningSocketsOf,
  parseListeningSockets,
  portOwner,
} from '../../../../main/engine/local/listening-sockets';
import { rejection } from '../../../support/rejection';

const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const row = (local: string, state: string, inode: number) =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0 100 0 0 10 0`;

describe('listening sockets', () => {
  it('are read from the tables of the kernel', () => {
    const text = [
      head,
      row('0100007F:1F40', '0A', 11),
      row('0100007F:1F41', '01', 12),
      row('00000000:0016', '0A', 13),
      row('0000000000000000FFFF00000100007F:C350', '0A', 14),
      row('00000000000000000000000000000000:0050', '0A', 15),
      row('00000000000000000000000001000000:0051', '0A', 16),
      '',
    ].join('\n');
    expect(parseListeningSockets(text)).toEqual([
      { address: '127.0.0.1', port: 8000, inode: '11' },
      { address: '0.0.0.0', port: 22, inode: '13' },
      { address: '127.0.0.1', port: 50_000, inode: '14' },
      { address: '::', port: 80, inode: '15' },
      { address: '00000000000000000000000001000000', port: 81, inode: '16' },
    ]);
  });

  it('belong to the process that holds them', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      expect((await listeningSocketsOf(process.pid)).map((socket) => socket.port)).toContain(port);
      expect((await portOwner(port))?.pid).toBe(process.pid);
      expect(await listeningSocketsOf(2 ** 22 + 1)).toEqual([]);
      const taken = await rejection(assertPortsFree([undefined, port]));
      expect([taken.code, taken.message]).toEqual([
        'port-taken',
        expect.stringMatching(new RegExp(`^Port ${port} is in use: process ${process.pid} \\(`)),
      ]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    expect(await portOwner(port)).toBeNull();
    await assertPortsFree([port, undefined]);
    expect((await rejection(assertPortsFree([port, port]))).code).toBe('input-invalid');
  });
});
