import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { readRoomAfterLoad, readServerRoom } from '../../../main/engine/server-memory';

/** Metrics of a Triton, the next text at each question. */
async function reporting(...texts: readonly [string, ...string[]]) {
  const left = [...texts];
  const server = createServer((_request, response) => {
    response.end(left.length > 1 ? left.shift() : left[0]);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { metricsAddress: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const host = (used: number) => `nv_cpu_memory_total_bytes 1000\nnv_cpu_memory_used_bytes ${used}\n`;
const gpu = (uuid: string, used: number) =>
  `nv_gpu_memory_total_bytes{gpu_uuid="${uuid}"} 500\nnv_gpu_memory_used_bytes{gpu_uuid="${uuid}"} ${used}\n`;

it('reads what the machine has left, and its fullest GPU', async () => {
  expect(await readServerRoom(await reporting(host(300)))).toEqual({ hostBytes: 700, gpuBytes: null });
  const whole = await reporting(host(300) + gpu('a', 100) + gpu('b', 450));
  expect(await readServerRoom(whole)).toEqual({ hostBytes: 700, gpuBytes: 50 });
});

it('does not know it where it is not reported', async () => {
  const unknown = { hostBytes: null, gpuBytes: null };
  expect(await readServerRoom({ metricsAddress: null })).toEqual(unknown);
  expect(await readServerRoom({ metricsAddress: '127.0.0.1:1' })).toEqual(unknown);
  const zero = 'nv_cpu_memory_total_bytes 0\nnv_cpu_memory_used_bytes 0\n';
  expect(await readServerRoom(await reporting(zero))).toEqual(unknown);
  const partly = await reporting(`${gpu('a', 100)}nv_gpu_memory_total_bytes{gpu_uuid="b"} 500\n`);
  expect((await readServerRoom(partly)).gpuBytes).toBeNull();
});

it('waits behind a load until Triton has read it anew', async () => {
  const server = await reporting(host(300), host(300), host(300), host(400));
  expect(await readRoomAfterLoad(server, new AbortController().signal)).toMatchObject({ hostBytes: 600 });
});
