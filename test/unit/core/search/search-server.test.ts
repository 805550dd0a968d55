import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { CoreParts } from '../../../../main/core/core-parts';
import { searchedServer } from '../../../../main/core/search/search-server';
import { rejection } from '../../../support/rejection';
import { specFixture } from '../../../support/run-state';

async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const memory = 'nv_cpu_memory_total_bytes 4294967296\nnv_cpu_memory_used_bytes 1073741824\n';

/** A fake Triton: what is asked of one before anything is loaded. @param refusal of an unload */
async function fakeTriton({ metrics = memory, refusal = '' } = {}) {
  const grpc = await listening(() => undefined);
  const asked: string[] = [];
  const http = await listening(({ url = '' }, response) => {
    asked.push(url);
    const index = [
      { name: 'bert', state: 'READY' },
      { name: 'bert', version: '2', state: 'READY' },
      { name: 'idle', state: 'UNAVAILABLE' },
    ];
    if (url === '/v2') response.end('{"name":"triton","version":"2.51.0","extensions":[]}');
    else if (url === '/v2/repository/index') response.end(JSON.stringify(index));
    else if (url.endsWith('/unload') && refusal !== '') {
      response.writeHead(400).end(JSON.stringify({ error: refusal }));
    } else response.writeHead(/\/v2\/models\/[^/]*\/ready/.test(url) ? 400 : 200).end();
  });
  const at = await listening((_request, response) => response.end(metrics));
  return { asked, server: { url: `http://${http}?grpcPort=${grpc.split(':')[1] ?? ''}`, metrics: at }, http };
}

const agreed = {
  approvals: { missing: () => Promise.resolve({ paths: [], images: [], hosts: [], machines: [] }) },
};
const parts = agreed as unknown as CoreParts;

it('says what is served there and what memory is left, and loads nothing', async () => {
  const { asked, server, http } = await fakeTriton();
  const found = await searchedServer(parts, specFixture(), server);
  expect(found.before).toMatchObject({
    ...{ address: http, tritonVersion: '2.51.0', models: ['bert'] },
    room: { hostBytes: 3 * 2 ** 30, gpuBytes: null },
  });
  expect(found.note).toContain('beside its 1 model:');
  expect(found.server).toMatchObject({ metrics: server.metrics, mark: found.before.mark });
  expect(asked.filter((url) => url.endsWith('/load'))).toEqual([]);
});

it('names the option that is wrong: the address, or that of the metrics', async () => {
  const of = async (server: Parameters<typeof searchedServer>[2]) =>
    rejection(searchedServer(parts, specFixture(), server));
  expect(await of({ url: 'http://127.0.0.1:1' })).toMatchObject({
    ...{ code: 'server-unreachable', where: '--url' },
  });
  expect(await of({ url: 'ftp://localhost' })).toMatchObject({ code: 'input-invalid', where: '--url' });
  const polling = await fakeTriton({ refusal: 'explicit model load / unload is not allowed' });
  expect(await of(polling.server)).toMatchObject({ code: 'combination-unsupported', where: '--url' });
  const silent = await fakeTriton({ metrics: '' });
  expect(await of(silent.server)).toMatchObject({
    ...{ code: 'combination-unsupported', where: '--metrics-url' },
  });
});
